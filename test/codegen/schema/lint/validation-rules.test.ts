import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ruleSchemasOf } from '../../../../codegen/schema/rules/rule-schemas.ts'
import { parseDuration, printDuration } from '../../../../runtime/kernel/values/duration.ts'
import { storedQuantity } from '../../../../runtime/kernel/values/quantity.ts'
import { apiOf, readDefinitions } from '../../../support/definitions.ts'

const test = suite('codegen/schema: rules')

/** A kind with one rule, given as a YAML text, beside its specification. */
function site(rule: string): string {
  return `
Site:
  type: object
  x-orch-kind: { plural: sites }
  properties:
    metadata: { $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta' }
    spec: { $ref: '#/definitions/SiteSpec' }
SiteSpec:
  type: object
  required: [title]
  x-orch-validations:
    - ${rule}
  properties:
    title: { type: string, maxLength: 20 }
    parts: { type: array, maxItems: 20, items: { $ref: '#/definitions/Part' } }
    keyed:
      type: array
      maxItems: 20
      x-orch-list-type: map
      x-orch-list-map-keys: [name]
      items: { $ref: '#/definitions/Part' }
    since: { $ref: 'orch:meta/v1/scalars.yaml#/definitions/Time' }
    size: { $ref: 'orch:meta/v1/scalars.yaml#/definitions/Quantity' }
    port: { $ref: 'orch:meta/v1/scalars.yaml#/definitions/IntOrString' }
Part:
  type: object
  required: [name]
  properties:
    name: { type: string, maxLength: 20 }
    text: { type: string }`
}

/** What is wrong with a rule, and the same rule mended: A2.49 (checked in full), A2.73 (what it can cost). */
const pairs: readonly (readonly [fact: string, bad: string, code: string, good: string])[] = [
  [
    'a field that there is not',
    "{ rule: self.titel != '' }",
    'rule-type',
    "{ rule: self.title != '' }",
  ],
  [
    'a variable that there is not',
    "{ rule: sef.title != '' }",
    'rule-type',
    '{ rule: self.title != oldSelf.title }',
  ],
  [
    'a function that there is not',
    "{ rule: self.title.startWith('a') }",
    'rule-type',
    "{ rule: self.title.startsWith('a') }",
  ],
  [
    'types that do not compare',
    '{ rule: self.title > 3 }',
    'rule-type',
    '{ rule: size(self.title) > 3 }',
  ],
  [
    'text compared as a time',
    "{ rule: self.since > '2020' }",
    'rule-type',
    "{ rule: self.since > timestamp('2020-01-01T00:00:00Z') }",
  ],
  [
    'a quantity compared as a number',
    '{ rule: self.size < 3 }',
    'rule-type',
    "{ rule: quantity(self.size).isLessThan(quantity('3')) }",
  ],
  [
    'a rule that is no condition',
    '{ rule: self.title }',
    'rule-type',
    "{ rule: self.title == 'a' || self.port == 80 }",
  ],
  [
    'a message that is no text',
    "{ rule: 'true', messageExpression: '3' }",
    'rule-type',
    "{ rule: 'true', messageExpression: string(3) }",
  ],
  [
    'an open parenthesis',
    "{ rule: 'size(self.title < 3' }",
    'rule-syntax',
    '{ rule: size(self.title) < 3 }',
  ],
  [
    'a text without end',
    '{ rule: "self.title == \'a" }',
    'rule-syntax',
    '{ rule: "self.title == \'a\'" }',
  ],
  [
    'texts without bound in a list',
    '{ rule: "self.parts.all(a, self.parts.all(b, a.text != b.text))" }',
    'rule-cost',
    '{ rule: "self.parts.all(a, self.parts.all(b, a.name != b.name))" }',
  ],
  [
    'a path that leads nowhere',
    "{ rule: 'true', fieldPath: .parts.nam }",
    'bad-rule',
    "{ rule: 'true', fieldPath: .parts }",
  ],
  [
    'a reason that there is not',
    "{ rule: 'true', reason: Wrong }",
    'bad-rule',
    "{ rule: 'true', reason: FieldValueForbidden }",
  ],
  [
    'a message of two lines',
    '{ rule: \'true\', message: "a\\nb" }',
    'bad-rule',
    "{ rule: 'true', message: a b }",
  ],
  [
    'an old value that no rule reads',
    "{ rule: 'true', optionalOldSelf: true }",
    'bad-rule',
    '{ rule: !!str "!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf: true }',
  ],
  ['a rule without its rule', '{ message: a }', 'missing-keyword', "{ rule: 'true', message: a }"],
  [
    'a key that no rule has',
    "{ rule: 'true', text: a }",
    'unknown-keyword',
    "{ rule: 'true', message: a }",
  ],
]

for (const [fact, bad, code, good] of pairs) {
  test(`${fact} is found, and mended`, () => {
    const { findings } = readDefinitions(site(bad))
    assert.equal(
      findings.map((finding) => finding.code),
      code === '' ? [] : [code],
    )
    assert.equal(readDefinitions(site(good)).findings, [])
  })
}

test('a mistake is shown where it stands in the text, however that is written', () => {
  const forms: readonly string[] = [
    "{ rule: self.title == '' || self.titel == 'a' }",
    `{ rule: "self.title == '' || self.titel == \\"a\\"" }`,
    "{ rule: 'self.title == '''' || self.titel == ''a''' }",
    "rule: >-\n        self.title == '' ||\n        self.titel == 'a'",
    "rule: |-\n        self.title == '' ||\n        self.titel == 'a'\n      message: m",
    "rule:\n        self.title == '' ||\n        self.titel == 'a'",
    `{ rule: "'\${brand}' != self.title || self.titel == 'a'" }`,
    `{ rule: "'\\u00e9\\x41' != self.title || self.titel == 'a'" }`,
  ]
  for (const form of forms) {
    const { findings } = readDefinitions(site(form))
    const lines = site(form).split('\n')
    const index = lines.findIndex((line) => line.includes('.titel'))
    const place = { line: index + linesBefore, column: lines[index]!.indexOf('.titel') + indented }
    assert.equal(
      findings.map(({ at: { line, column }, message }) => ({ line, column, message })),
      [{ ...place, message: `undefined field 'titel'; did you mean "title"?` }],
      form,
    )
  }
})

/** Where `readDefinitions` puts definitions: after a head of three lines, indented by two blanks. */
const linesBefore = 4
const indented = 3

test('all mistakes are found at once', () => {
  const rule = '{ rule: self.a == self.b, messageExpression: self.c }\n    - { rule: self.d }'
  assert.is(readDefinitions(site(rule)).findings.length, 4)
})

test('rules are inherited by what a struct is inlined into', () => {
  const { findings } = readDefinitions(`
Base:
  type: object
  x-orch-validations: [{ rule: self.low <= self.hihg }]
  properties: { low: { type: integer }, high: { type: integer } }
Site:
  type: object
  allOf: [{ $ref: '#/definitions/Base' }]
  properties: { name: { type: string } }`)
  assert.equal(
    findings.map(({ message }) => message),
    [`undefined field 'hihg'; did you mean "high"?`],
  )
})

test('what is generated holds the fields that rules look at, and the way to them', () => {
  const api = apiOf(site('{ rule: self.title != oldSelf.title, fieldPath: .port }'))
  const all = ruleSchemasOf(api.types)
  assert.equal(Object.keys(propertiesOf(all.rows(['demo/v1.Site']), 'demo.v1.SiteSpec')), [
    'title',
    'parts',
    'keyed',
    'since',
    'size',
    'port',
  ])
  const pruned = ruleSchemasOf(api.types, () => ['title', 'port']).rows(['demo/v1.Site'])
  assert.equal([...pruned.keys()], ['demo.v1.Site', 'demo.v1.SiteSpec'])
  assert.equal(propertiesOf(pruned, 'demo.v1.Site'), { spec: { $ref: 'demo.v1.SiteSpec' } })
  assert.equal(Object.keys(propertiesOf(pruned, 'demo.v1.SiteSpec')), ['title', 'port'])
})

const digits = fc.stringMatching(/^[0-9]{1,60}$/)
const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'Ki', 'E', 'Ei', 'e9', 'e-9', 'e300')

test('quantities and durations are never longer, once read, than rules are told', () => {
  const sent = fc.tuple(fc.constantFrom('', '-'), digits, digits, suffix)
  fc.assert(
    fc.property(sent, ([sign, whole, part, unit]) => {
      assert.ok((storedQuantity(`${sign}${whole}.${part}${unit}`) ?? '').length <= 32)
      const ms = parseDuration(`${sign}${whole}.${part}h`)
      assert.ok(ms === undefined || printDuration(ms).length <= 32)
    }),
  )
})

function propertiesOf(rows: ReadonlyMap<string, object>, name: string): object {
  const row = rows.get(name) as { readonly properties: object } | undefined
  return row?.properties ?? {}
}

test.run()
