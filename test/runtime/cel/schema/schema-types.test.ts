import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { readSchema } from '../../../../runtime/cel/schema/json-schema.ts'
import { type SchemaType, schemaType } from '../../../../runtime/cel/schema/schema-types.ts'
import { type ObjectType, printType } from '../../../../runtime/cel/types/types.ts'
import {
  CelError,
  Double,
  Duration,
  ListView,
  MapView,
  type ObjectView,
  Timestamp,
} from '../../../../runtime/cel/values/values.ts'
import type { JsonObject } from '../../../../runtime/kernel/values/json.ts'

const test = suite('runtime/cel/schema-types')

const options = { prefixes: ['orch'] }
const request = 3 * 1024 * 1024

function typed(schema: JsonObject, root = false): SchemaType {
  const found = schemaType(readSchema(schema, options), 'self', root)
  if (found === undefined) throw new Error('not visible')
  return found
}

function invisible(schema: JsonObject): boolean {
  return schemaType(readSchema(schema, options), 'self') === undefined
}

const text: JsonObject = { type: 'string' }

// [what, schema, type, most elements, smallest JSON]
// Y-05: what bounds there are without any in the schema, too.
const table: readonly (readonly [string, JsonObject, string, number, number])[] = [
  ['A2.51 an object is one', { type: 'object', properties: { a: text } }, 'self', 0, 2],
  [
    'A2.52 additional properties make a map',
    { type: 'object', additionalProperties: text, maxProperties: 7 },
    'map(string, string)',
    7,
    2,
  ],
  ['A2.55 an int or string is dynamic', { 'x-orch-int-or-string': true }, 'dyn', request - 2, 1],
  ['A2.56 an array is a list', { type: 'array', items: text, maxItems: 4 }, 'list(string)', 4, 2],
  ['A2.57 a boolean', { type: 'boolean' }, 'bool', 0, 4],
  ['A2.58 a number is a double', { type: 'number', format: 'float' }, 'double', 0, 1],
  ['A2.59 an integer is an int', { type: 'integer', format: 'int32' }, 'int', 0, 1],
  ['A2.62 a string takes four bytes a character', { ...text, maxLength: 10 }, 'string', 40, 2],
  ['A2.62 an enum is as long as its longest', { ...text, enum: ['a', 'abc'] }, 'string', 3, 2],
  ['A2.62 a string without bounds is a request', text, 'string', request - 2, 2],
  ['A2.63 bytes', { ...text, format: 'byte', maxLength: 10 }, 'bytes', 10, 2],
  ['A2.64 a date', { ...text, format: 'date' }, 'timestamp', 12, 12],
  ['A2.64 a datetime', { ...text, format: 'datetime' }, 'timestamp', 32, 21],
  ['A2.64 a date-time', { ...text, format: 'date-time' }, 'timestamp', 32, 21],
  ['A2.65 a duration', { ...text, format: 'duration' }, 'duration', 32, 3],
]
for (const [name, schema, type, size, minSize] of table) {
  test(name, () => {
    const found = typed(schema)
    assert.is(printType(found.type), type)
    assert.is(found.bounds.size, size)
    assert.is(found.minSize, minSize)
  })
}

test('sizes that no limit bounds follow from the smallest member (Y-05)', () => {
  const list = typed({ type: 'array', items: { type: 'boolean' } })
  assert.is(list.bounds.size, Math.floor((request - 2) / 5))
  const map = typed({ type: 'object', additionalProperties: { type: 'integer' } })
  assert.is(map.bounds.size, Math.floor((request - 2) / 7))
})

test('required properties without a default make an object larger', () => {
  const properties = { ab: text, cde: { ...text, default: 'x' }, f: { type: 'integer' } }
  const found = typed({ type: 'object', properties, required: ['ab', 'cde'] })
  assert.is(found.minSize, 2 + 2 + 2 + 4)
})

test('A2.53 an embedded resource and the root show type and name, and no more metadata', () => {
  const properties = { metadata: { type: 'object', properties: { uid: text } } }
  const embedded = { type: 'object', properties, 'x-orch-embedded-resource': true }
  const outer = typed({ type: 'object', properties: { inner: embedded } }).type as ObjectType
  const root = typed({ type: 'object', properties }, true).type
  for (const type of [outer.field('inner')!.type as ObjectType, root as ObjectType]) {
    assert.equal([...type.fields()].sort(), ['apiVersion', 'kind', 'metadata'])
    const metadata = type.field('metadata')!.type as ObjectType
    assert.equal([...metadata.fields()].sort(), ['generateName', 'name'])
  }
})

test('A2.54 what is preserved without a schema is out of reach', () => {
  const preserve = { 'x-orch-preserve-unknown-fields': true }
  const found = typed({
    type: 'object',
    ...preserve,
    properties: { known: text, raw: preserve, list: { type: 'array', items: preserve } },
  })
  assert.equal((found.type as ObjectType).fields(), ['known'])
  assert.ok(invisible(preserve))
  assert.ok(invisible({ type: 'array' }))
})

test('properties are reached by their escaped names, and only those that have one', () => {
  const found = typed({ type: 'object', properties: { 'a-b': text, in: text, ä: text } })
  const type = found.type as ObjectType
  assert.equal([...type.fields()].sort(), ['__in__', 'a__dash__b'])
  const view = found.read({ 'a-b': 'x' }) as ObjectView
  assert.is(view.get(type.field('a__dash__b')!), 'x')
})

test('values are read as their type says, when they are asked for', () => {
  const second = 1_000_000_000n
  const cases: readonly (readonly [JsonObject, unknown, unknown])[] = [
    [{ type: 'integer' }, 5, 5],
    [{ type: 'integer' }, 2n ** 62n, 2n ** 62n],
    [{ type: 'number' }, 5, new Double(5)],
    [{ ...text, format: 'date' }, '1970-01-02', new Timestamp(86_400n * second)],
    [
      { ...text, format: 'date-time' },
      '1970-01-01T01:00:01.5+01:00',
      new Timestamp(1_500_000_000n),
    ],
    [{ ...text, format: 'duration' }, '1h30m', new Duration(5400n * second)],
    [{ ...text, format: 'duration' }, 'P1D', new Duration(86_400n * second)],
    [{ ...text, format: 'duration' }, '1x 1 Hours, 2msec', new Duration(3600n * second)],
    [{ ...text, format: 'date-time' }, '1970-01-01T00:00:01', new Timestamp(second)],
    [{ ...text, format: 'duration' }, '2 days', new Duration(172_800n * second)],
    [{ ...text, format: 'byte' }, 'AQI=', new Uint8Array([1, 2])],
    [{ ...text, nullable: true }, null, null],
    [{ 'x-orch-int-or-string': true }, '10%', '10%'],
    [{ 'x-orch-int-or-string': true }, 3, 3],
  ]
  for (const [schema, raw, want] of cases) assert.equal(typed(schema).read(raw), want)
  assert.instance(typed({ type: 'array', items: text }).read([]), ListView)
  assert.instance(typed({ type: 'object', additionalProperties: text }).read({}), MapView)
})

test('a format that is unknown leaves a text as it is, whatever objects inherit by that name', () => {
  for (const format of ['hostname', 'toString', 'constructor', '__proto__']) {
    assert.is(typed({ ...text, format }).read('a'), 'a', format)
  }
})

test('a value that is not what its schema says is an error of the expression', () => {
  const cases: readonly (readonly [JsonObject, unknown, string])[] = [
    [text, 5, 'invalid data, expected string, got int64'],
    [text, null, 'invalid data, got null for schema with nullable=false'],
    [{ type: 'integer' }, 1.5, 'invalid data, expected int, got float64'],
    [
      { type: 'array', items: text },
      {},
      'invalid data, expected an array for the provided schema with type=array',
    ],
    [
      { type: 'object', properties: {} },
      [],
      'invalid data, expected a map for the provided schema with type=object',
    ],
    [{ ...text, format: 'date' }, '2023-02-30', 'Invalid date formatted string 2023-02-30'],
    [
      { ...text, format: 'date-time' },
      'now',
      'Invalid date-time formatted string now: parsing time "now" as "2006-01-02T15:04:05": cannot parse "now" as "2006"',
    ],
    [
      { ...text, format: 'date-time' },
      '2024-01-01t00:00:00z',
      'Invalid date-time formatted string 2024-01-01t00:00:00z: parsing time "2024-01-01t00:00:00z" as "2006-01-02T15:04:05": cannot parse "t00:00:00z" as "T"',
    ],
    [
      { ...text, format: 'date-time' },
      '2024-01-01T00:00:00z',
      'Invalid date-time formatted string 2024-01-01T00:00:00z: parsing time "2024-01-01T00:00:00z": extra text: "z"',
    ],
    [{ ...text, format: 'date-time' }, '9999-12-31T23:59:59-01:00', 'timestamp overflow'],
    [{ ...text, format: 'duration' }, '1x', 'Invalid duration 1x: unable to parse 1x as duration'],
    [{ ...text, format: 'byte' }, '*', 'Invalid byte formatted string'],
    [
      { 'x-orch-int-or-string': true },
      true,
      'invalid data, expected XIntOrString value to be either a string or integer',
    ],
    [
      { 'x-orch-int-or-string': true },
      2 ** 64,
      'invalid data, expected XIntOrString value to be either a string or integer',
    ],
  ]
  for (const [schema, raw, message] of cases) {
    const found = typed(schema).read(raw)
    assert.is(found instanceof CelError && found.message, message)
  }
})

test('a document that refers to itself has a type', () => {
  const node: JsonObject = {
    type: 'object',
    required: ['children'],
    properties: { children: { type: 'array', items: { $ref: '#/definitions/Node' } } },
  }
  const schema = readSchema({ $ref: '#/definitions/Node' }, { ...options, resolve: () => node })
  const type = schemaType(schema, 'self')?.type as ObjectType
  assert.is(type.name, 'Node')
  assert.is(printType(type.field('children')!.type), 'list(Node)')
})

test('every published document has types', async () => {
  const documents = Object.values(await scheme.openapi()).map((one) => JSON.parse(one))
  for (const { components } of documents) {
    const resolve = (name: string) => components.schemas[name.slice(name.lastIndexOf('/') + 1)]
    for (const name of Object.keys(components.schemas)) {
      const schema = readSchema({ $ref: `#/components/schemas/${name}` }, { ...options, resolve })
      const found = schemaType(schema, 'self')
      if (found?.type.kind !== 'object') continue
      for (const field of found.type.fields()) assert.ok(found.type.field(field))
    }
  }
})

test.run()
