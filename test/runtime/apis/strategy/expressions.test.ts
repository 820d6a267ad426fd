/** Rules in the expression language from a schema file to a refusal: by a real server, and by the check of a file. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compileRules, readSchema, type SchemaRules } from '../../../../runtime/cel/cel.ts'
import { configFiles, FeatureGates } from '../../../../runtime/config/config.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import { extensionPrefixes } from '../../../../runtime/kernel/descriptors/platform.ts'
import type { ApiObject, NamedObject } from '../../../../runtime/kernel/meta/object.ts'
import type { JsonObject } from '../../../../runtime/kernel/values/json.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { builtScheme } from '../../../support/built-scheme.ts'
import { assertRejects } from '../../../support/rejects.ts'

const test = suite('runtime/apis: rules of schema files')

const head = 'group: shop.example.com\nversion: v1\ndefinitions:\n'
const kinds = `${head}
  Shop:
    description: A shop.
    type: object
    required: [spec]
    x-orch-kind: { plural: shops, subresources: { status: {} } }
    x-orch-validations:
      - rule: self.metadata.name != 'taken' || self.spec.limits.low == 0
        messageExpression: "'the name ' + self.metadata.name + ' is taken'"
        reason: FieldValueForbidden
        fieldPath: .spec
    properties:
      metadata: { $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta', x-orch-zero: keep }
      spec: { $ref: '#/definitions/ShopSpec', description: What it is like. }
      status:
        description: What was seen.
        type: object
        properties: { sold: { description: How many., type: integer, format: int64 } }
        x-orch-validations:
          - { rule: self.sold >= oldSelf.sold, message: nothing is unsold }
  ShopSpec:
    description: What a shop is like.
    type: object
    required: [limits]
    properties:
      owner:
        description: Whose it is.
        type: string
        x-orch-validations: [{ rule: self == oldSelf, message: field is immutable }]
      limits: { $ref: '#/definitions/Limits', description: How much there may be. }
      opens: { $ref: 'orch:meta/v1/scalars.yaml#/definitions/Time', description: When. }
      closes: { $ref: 'orch:meta/v1/scalars.yaml#/definitions/Time', description: When. }
      shelves:
        description: Its shelves.
        type: array
        maxItems: 8
        x-orch-list-type: map
        x-orch-list-map-keys: [name]
        items: { $ref: '#/definitions/Shelf' }
    x-orch-validations:
      - rule: "!has(self.opens) || !has(self.closes) || self.opens < self.closes"
        message: a shop closes after it opens
  Shelf:
    description: A shelf.
    type: object
    required: [name, size]
    properties:
      name: { description: Its name., type: string, maxLength: 20 }
      size: { $ref: 'orch:meta/v1/scalars.yaml#/definitions/Quantity', description: Its size. }
    x-orch-validations:
      - rule: quantity(self.size).isGreaterThan(quantity('10Mi'))
        reason: FieldValueRequired
        fieldPath: .size
        message: shelves are larger
      - { rule: quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0, message: shelves never shrink }
  Limits:
    description: How much there may be.
    type: object
    required: [low, high]
    properties:
      low: { description: The least., type: integer, format: int32 }
      high: { description: The most., type: integer, format: int32 }
      names:
        description: What is there.
        type: array
        maxItems: 9
        x-orch-list-type: set
        items:
          type: string
          maxLength: 9
          x-orch-validations: [{ rule: "self.startsWith('a')", message: begins with an a }]
    x-orch-validations:
      - rule: self.low <= self.high
        fieldPath: .low
        messageExpression: "'must be at most high (%d)'.format([self.high])"
`
const config = `${head}
  ShopConfiguration:
    description: How shops are run.
    type: object
    x-orch-kind: {}
    required: [limits]
    properties:
      limits: { $ref: '../../shop.example.com/v1/shop.yaml#/definitions/Limits', description: As of shops. }
`
const built = await builtScheme({
  'shop.example.com/v1/shop.yaml': kinds,
  'config/shop/v1.yaml': config,
})
const shops = built.scheme.routes['apis/shop.example.com/v1/shops'] as AnyKind
const configuration = await built.configKinds['shop.example.com/v1/ShopConfiguration']!()
const { checkSource } = await configFiles()
const plane = await startControlPlane({ schemes: [built.scheme] })
const client = plane.client.resource(shops)
test.after(() => plane.stop())

const good = { limits: { low: 1, high: 2 } }

function shop(name: string, spec: object): ApiObject & NamedObject {
  const object = { apiVersion: 'shop.example.com/v1', kind: 'Shop', metadata: { name }, spec }
  return object
}

/** The causes of a refusal as `path: message`. */
async function causes(work: Promise<unknown>): Promise<readonly string[]> {
  const { details } = await assertRejects(work, 'Invalid')
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}

test('an object that breaks a rule is refused at its path, with its message', async () => {
  assert.equal(await causes(client.create(shop('a', { limits: { low: 3, high: 2 } }))), [
    'spec.limits.low: Invalid value: 3: must be at most high (2)',
  ])
})

test('all findings are told at once, those of the schema and those of its rules', async () => {
  const spec = {
    limits: { low: 3, high: 2, names: ['ab', 'ba'] },
    opens: '2024-01-01T09:00:00Z',
    closes: '2024-01-01T08:00:00Z',
    shelves: [
      { name: 'top', size: '1Gi' },
      { name: 'a name that is far too long', size: '1Mi' },
    ],
  }
  assert.equal((await causes(client.create(shop('taken', spec)))).map(withoutValue), [
    'spec.limits.low: must be at most high (2)',
    'spec.limits.names[1]: begins with an a',
    'spec.shelves[1].name: Too long: may not be longer than 20',
    'spec.shelves[1].size: Required value: shelves are larger',
    'spec: Forbidden: the name taken is taken',
    'spec: a shop closes after it opens',
  ])
})

test('a rule that stumbles over what the schema refuses says nothing', async () => {
  assert.equal(await causes(client.create(shop('a', { ...good, shelves: [{ name: 'x' }] }))), [
    'spec.shelves[0].size: Required value',
  ])
})

test('rules of change compare with what was there, items by their keys', async () => {
  const shelves = [
    { name: 'top', size: '1Gi' },
    { name: 'low', size: '20Mi' },
  ]
  await client.create(shop('kept', { ...good, owner: 'ann', shelves }))
  const less = [
    { name: 'low', size: '15Mi' },
    { name: 'new', size: '11Mi' },
    { name: 'top', size: '1Gi' },
  ]
  const change = shop('kept', { ...good, owner: 'bob', shelves: less })
  assert.equal((await causes(client.update(change))).map(withoutValue), [
    'spec.owner: field is immutable',
    'spec.shelves[0]: shelves never shrink',
  ])
})

test('rules hold on the path of the status, too', async () => {
  const made = await client.create(shop('seen', good))
  const status = (sold: number) => client.updateStatus({ ...made, status: { sold } } as never)
  await status(5)
  const current = await client.get('seen')
  const less = client.updateStatus({ ...current, status: { sold: 4 } } as never)
  assert.equal((await causes(less)).map(withoutValue), ['status: nothing is unsold'])
})

test('the rules of a schema are published under the prefix of the platform', async () => {
  const text = (await built.scheme.openapi())['apis/shop.example.com/v1'] ?? ''
  const { schemas } = JSON.parse(text).components
  const rules = schemas['com.example.shop.v1.Limits']['x-orch-validations']
  assert.is(rules[0].rule, 'self.low <= self.high')
  assert.is(rules[0].at, undefined)
})

test('a file that breaks the same rule is refused with line and column', async () => {
  assert.equal(await inFile('limits:\n  low: 3\n  high: 2\n  names: [ab, ba]'), [
    'shop.yaml:4:8: limits.low: must be at most high (2)',
    'shop.yaml:6:15: limits.names[1]: begins with an a',
  ])
})

const limits = fc.record(
  {
    low: fc.integer({ min: -3, max: 3 }),
    high: fc.integer({ min: -3, max: 3 }),
    names: fc.uniqueArray(fc.constantFrom('a', 'b', 'ab', 'ba'), { maxLength: 3 }),
  },
  { requiredKeys: ['low', 'high'] },
)

// A2.43, A2.49
test('server, file check and whoever reads the published schema come to the same verdict', async () => {
  const published = await publishedLimits()
  const verdict = fc.asyncProperty(limits, async (given) => {
    const said = await inFile(`limits: ${JSON.stringify(given)}`)
    const name = `s${Math.abs(given.low)}`
    const served = await client
      .create(shop(name, { limits: given }), { dryRun: true })
      .then(() => [])
      .catch(({ details }) => details.causes)
    const heard = served.map(
      ({ field, message }: { field: string; message: string }) =>
        `${field.replace('spec.', '')}: ${withoutValue(message)}`,
    )
    assert.equal([...said].map((line) => line.replace(/^\S+ /, '')).sort(), heard.sort())
    const seen = published
      .violations(given)
      .map(({ path, message }) => `limits.${path}: ${message}`)
    assert.equal(seen.sort(), heard)
  })
  await fc.assert(verdict, { numRuns: 60 })
})

/** The rules of the limits, read from the document that the server publishes. */
async function publishedLimits(): Promise<SchemaRules> {
  const document = JSON.parse((await built.scheme.openapi())['apis/shop.example.com/v1'] ?? '')
  const schemas = document.components.schemas as Readonly<Record<string, JsonObject>>
  const resolve = (ref: string) => schemas[ref.replace('#/components/schemas/', '')]
  const options = { prefixes: extensionPrefixes(built.scheme.platform), resolve }
  const node = readSchema(resolve('com.example.shop.v1.Limits')!, options)
  const { extension } = built.scheme.platform
  const rules = compileRules(node, '', { extension, notResource: true })
  assert.equal(rules.findings, [])
  return rules
}

/** What a configuration file is told. */
async function inFile(text: string): Promise<readonly string[]> {
  const lead = 'apiVersion: shop.example.com/v1\nkind: ShopConfiguration\n'
  const source = { name: 'shop.yaml', text: lead + text, origin: 'file' } as const
  const findings = await checkSource(configuration, source, new FeatureGates([]))
  return findings.map(({ location: place, message }) => `${place.text}: ${message}`)
}

function withoutValue(text: string): string {
  return text.replace(/Invalid value: (?:\{.*\}|\[.*\]|"[^"]*"|-?\d+): /, '')
}

test.run()
