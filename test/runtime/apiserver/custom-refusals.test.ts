/** Definitions that are wrong, with the text and the place of each mistake; names that are taken; bodies made to hurt. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type CustomServer,
  conditioned,
  definition,
  definitionsPath,
  startCustom,
} from '../../support/custom.ts'

const test = suite('runtime/apiserver: definitions that are refused')

let custom: CustomServer
test.before(async () => {
  custom = await startCustom()
})
test.after(() => custom.stop())

const at = 'spec.validation.openAPIV3Schema'

async function causes(body: object): Promise<readonly string[]> {
  const { status, json, text } = await custom.ask('POST', definitionsPath, body)
  assert.is(status, 422, text)
  return json.details.causes.map(
    ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
  )
}

function inSpec(properties: object, more: object = {}): object {
  return { type: 'object', properties: { spec: { type: 'object', properties, ...more } } }
}

const spec = `${at}.properties[spec]`

const wrong: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'a default of another type (C-08)',
    inSpec({ a: { type: 'integer', default: 'five' } }),
    [
      `${spec}.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"`,
    ],
  ],
  [
    'a default outside of its range (C-08)',
    inSpec({ a: { type: 'integer', maximum: 3, default: 5 } }),
    [`${spec}.properties[a].default: Invalid value: 5:  in body should be less than or equal to 3`],
  ],
  [
    'a default with a field that pruning would drop (C-08)',
    inSpec({ a: { type: 'object', properties: { b: { type: 'string' } }, default: { c: 1 } } }),
    [
      `${spec}.properties[a].default: Invalid value: map[string]interface {}{"c":1}: must not have unknown fields`,
    ],
  ],
  [
    'a default of the metadata (C-08)',
    {
      type: 'object',
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } },
      },
    },
    [
      `${at}.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`,
    ],
  ],
  [
    'a restriction of the metadata beyond its names (C-05)',
    {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    },
    [
      `${at}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
    ],
  ],
  [
    'a reference (C-05)',
    inSpec({ a: { $ref: '#/definitions/x', type: 'object' } }),
    [`${spec}.properties[a].$ref: Forbidden: $ref is not supported`],
  ],
  [
    'properties and additional ones (C-05)',
    inSpec({ a: { type: 'string' } }, { additionalProperties: { type: 'string' } }),
    [
      `${spec}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
  ],
  [
    'a type inside an alternative (C-05)',
    inSpec({ a: { type: 'string' } }, { anyOf: [{ properties: { b: { type: 'string' } } }] }),
    [`${spec}.anyOf[0].properties[b].type: Forbidden: must be empty to be structural`],
  ],
  [
    'a pattern that is none (C-10)',
    inSpec({ a: { type: 'string', pattern: '(?=x)' } }),
    [
      `${spec}.properties[a].pattern: Invalid value: "(?=x)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ],
  ],
  [
    'keys of a list that is not keyed (C-12)',
    inSpec({ a: { type: 'array', items: { type: 'string' }, 'x-orch-list-map-keys': ['b'] } }),
    [
      `${spec}.properties[a].x-orch-list-type: Required value: must be map if x-orch-list-map-keys is non-empty`,
    ],
  ],
]

for (const [name, schema, texts] of wrong) {
  test(`refused: ${name}`, async () => {
    assert.equal(await causes(definition('Wrong', schema)), texts)
  })
}

test('every version is looked at, and each finding says which (C-05, C-13)', async () => {
  const version = (name: string, schema: object) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: schema },
  })
  const versions = [
    version('v1', inSpec({ a: {} })),
    version(
      'v2',
      inSpec({ a: { type: 'string' } }, { 'x-orch-validations': [{ rule: 'self.b' }] }),
    ),
  ]
  const [first, second] = await causes(definition('Wrong', {}, { spec: { versions } }))
  assert.match(
    first ?? '',
    'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].type',
  )
  assert.match(
    second ?? '',
    'spec.versions[1].schema.openAPIV3Schema.properties[spec].x-orch-validations[0].rule',
  )
  assert.match(second ?? '', "undefined field 'b'\n | self.b\n | ....^")
})

test('a stored definition keeps serving while wrong changes of it are refused (C-05)', async () => {
  await custom.define(definition('Steady', inSpec({ a: { type: 'string' } })))
  const path = `${definitionsPath}/steadys.example.com`
  const { json } = await custom.ask('GET', path)
  const [version] = json.spec.versions
  const broken = { ...version, schema: { openAPIV3Schema: { type: 'array' } } }
  const put = await custom.ask('PUT', path, { ...json, spec: { ...json.spec, versions: [broken] } })
  assert.is(put.status, 422)
  assert.match(put.json.message, `${at}.type: Invalid value: "array": must be object at the root`)
  const objects = '/apis/example.com/v1/namespaces/default/steadys'
  const made = await custom.ask('POST', objects, { metadata: { name: 'a' }, spec: { a: 'b' } })
  assert.is(made.status, 201)
})

const taken: readonly (readonly [string, string, object, string])[] = [
  ['plural', 'PluralConflict', { plural: 'firsts' }, 'firsts'],
  ['singular', 'SingularConflict', { singular: 'first' }, 'first'],
  ['short name', 'ShortNamesConflict', { shortNames: ['fst'] }, 'fst'],
  ['kind', 'KindConflict', { kind: 'First', listKind: 'SecondList', singular: 'second' }, 'First'],
  ['list kind', 'ListKindConflict', { listKind: 'FirstList' }, 'FirstList'],
]

test('a name that another definition of the group has is told by its own reason (C-03)', async () => {
  await custom.define(
    definition('First', inSpec({}), { names: { shortNames: ['fst', 'firstone'] } }),
  )
  for (const [word, reason, names, value] of taken) {
    const kind = `Other${reason.toLowerCase()}`
    const plural = word === 'plural' ? 'fst' : `${kind.toLowerCase()}s`
    const body = definition(kind, inSpec({}), { names: { ...names, plural } })
    const named = { ...body, metadata: { name: `${plural}.example.com` } }
    await custom.ask('POST', definitionsPath, named)
    const told = await conditioned(custom.ask, `${plural}.example.com`, 'NamesAccepted', 'False')
    const shown = word === 'plural' ? 'fst' : value
    assert.equal([told.reason, told.message], [reason, `"${shown}" is already in use`])
    const waiting = await conditioned(custom.ask, `${plural}.example.com`, 'Established', 'False')
    assert.equal([waiting.reason, waiting.message], ['NotAccepted', 'not all names are accepted'])
    const { json } = await custom.ask('GET', `${definitionsPath}/${plural}.example.com`)
    assert.not.ok(Object.values(json.status.acceptedNames).includes(shown))
    await custom.ask('DELETE', `${definitionsPath}/${plural}.example.com`)
  }
})

test('the names of the status are no way around the checks (C-01)', async () => {
  await custom.define(definition('Plainly', inSpec({})))
  const path = `${definitionsPath}/plainlys.example.com`
  const status = { acceptedNames: { plural: 'Upper', kind: 'x!' } }
  const answer = await custom.ask(
    'PATCH',
    `${path}/status`,
    { status },
    'application/merge-patch+json',
  )
  assert.is(answer.status, 422)
  assert.match(answer.json.message, 'status.acceptedNames.plural: Invalid value: "Upper"')
})

interface Hurt {
  readonly name: string
  readonly schema?: object
  readonly more?: Parameters<typeof definition>[2]
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

function levels(count: number): object {
  return many(count, () => 0).reduce<object>(
    (below) => ({ type: 'object', properties: { a: below }, default: {} }),
    { type: 'object', default: {} },
  )
}

const hurting: readonly Hurt[] = [
  {
    name: 'thousands of versions',
    more: {
      spec: {
        versions: many(3000, (index) => ({
          name: `v${index + 1}`,
          served: true,
          storage: index === 0,
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    },
  },
  {
    name: 'thousands of columns',
    more: {
      version: {
        additionalPrinterColumns: many(9000, (index) => ({
          name: `c${index}`,
          type: 'string',
          jsonPath: `.spec.a${index}`,
        })),
      },
    },
  },
  {
    name: 'a column with a path of a hundred thousand steps',
    more: {
      version: {
        additionalPrinterColumns: [{ name: 'a', type: 'string', jsonPath: '.a'.repeat(100_000) }],
      },
    },
  },
  { name: 'thousands of short names', more: { names: { shortNames: many(9000, (i) => `s${i}`) } } },
  { name: 'defaults at every one of many levels', schema: levels(200) },
  {
    name: 'thousands of rules',
    schema: {
      type: 'object',
      properties: { a: { type: 'integer' } },
      'x-orch-validations': many(3000, (index) => ({ rule: `self.a != ${index}` })),
    },
  },
  {
    name: 'a rule of a megabyte',
    schema: {
      type: 'object',
      properties: { a: { type: 'integer' } },
      'x-orch-validations': [{ rule: many(90_000, () => 'self.a > 1').join('||') }],
    },
  },
  {
    name: 'thousands of alternatives',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: many(9000, (index) => ({ properties: { a: { minLength: index } } })),
    },
  },
]

for (const [index, { name, schema = { type: 'object' }, more }] of hurting.entries()) {
  test(`${name}: an answer, and the server goes on`, async () => {
    const answer = await custom.ask(
      'POST',
      definitionsPath,
      definition(`Hurt${index}`, schema, more),
    )
    assert.ok([201, 400, 413, 422].includes(answer.status), answer.text.slice(0, 300))
    assert.is((await custom.ask('GET', '/livez')).status, 200)
    await custom.ask('DELETE', `${definitionsPath}/hurt${index}s.example.com`)
  })
}

test.run()
