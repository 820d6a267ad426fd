/** What a schema makes of a value: pruning, defaults, null, order, and the texts of what it refuses (C-06 to C-12). */
import '../../../../tools/test/guard.ts'
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readBy } from '../../../support/schema-cases.ts'

const test = suite('runtime/apiextensions: reading by a schema')

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const text = { type: 'string' }
const whole = { type: 'integer' }
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more })
const intOrString = {
  'x-orch-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
}
const kept = { 'x-orch-preserve-unknown-fields': true }

const shaped: readonly (readonly [string, object, unknown, unknown])[] = [
  ['fields that the schema does not know go', object({ a: text }), { a: 'x', b: 1 }, { a: 'x' }],
  ['fields stand in order', object({ b: text, a: text }), { b: '1', a: '2' }, { a: '2', b: '1' }],
  [
    'where unknown fields are kept they are, in order',
    { type: 'object', ...kept },
    { b: { d: 1, c: null } },
    { b: { c: null, d: 1 } },
  ],
  [
    'below kept fields a named one is pruned again',
    { type: 'object', ...kept, properties: { a: object({ b: text }) } },
    { a: { c: 1 }, d: { e: 1 } },
    { a: {}, d: { e: 1 } },
  ],
  [
    'a map keeps its keys and prunes its values',
    { type: 'object', additionalProperties: object({ a: text }) },
    { x: { a: 'y', b: 1 } },
    { x: { a: 'y' } },
  ],
  [
    'a map without a schema keeps names and scalars, also null, and nothing of objects',
    { type: 'object', additionalProperties: true },
    { x: { a: 'y' }, n: null, s: 'z', l: [1, { b: 2 }] },
    { l: [1, {}], n: null, s: 'z', x: {} },
  ],
  [
    'a map without a schema prunes below itself where unknown fields are kept, too',
    { type: 'object', ...kept, additionalProperties: true },
    { x: { a: 'y' } },
    { x: {} },
  ],
  ['an absent field gets its default', object({ a: { ...whole, default: 1 } }), {}, { a: 1 }],
  [
    'a default gets the defaults of its parts',
    object({ a: object({ b: { ...whole, default: 2 } }, { default: {} }) }),
    {},
    { a: { b: 2 } },
  ],
  [
    'without a default above, one below waits',
    object({ a: object({ b: { ...whole, default: 2 } }) }),
    {},
    {},
  ],
  [
    'items get defaults',
    object({ a: list(object({ b: { ...whole, default: 2 } })) }),
    { a: [{}] },
    { a: [{ b: 2 }] },
  ],
  ['null is replaced by a default', object({ a: { ...whole, default: 1 } }), { a: null }, { a: 1 }],
  ['null without a default goes', object({ a: whole }), { a: null }, {}],
  [
    'null that is allowed stays',
    object({ a: { ...whole, nullable: true, default: 1 } }),
    { a: null },
    { a: null },
  ],
  [
    'a null item gets the default of items',
    object({ a: list({ ...whole, default: 3 }) }),
    { a: [null, 1] },
    { a: [3, 1] },
  ],
  ['a number without a fraction is an integer (C-29)', object({ a: whole }), { a: 2.0 }, { a: 2 }],
  [
    'a number or a text stays what it is',
    object({ a: { 'x-orch-int-or-string': true }, b: { 'x-orch-int-or-string': true } }),
    { a: 1, b: '1' },
    { a: 1, b: '1' },
  ],
  [
    'metadata inside an object is kept as metadata',
    object({ a: object({ spec: text }, { 'x-orch-embedded-resource': true }) }),
    { a: { kind: 'A', apiVersion: 'v1', metadata: { name: 'x' }, spec: 'y', b: 1 } },
    { a: { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' }, spec: 'y' } },
  ],
]

for (const [name, schema, given, want] of shaped) {
  test(name, () => {
    const { value, findings } = readBy(schema, given)
    assert.equal(findings, [])
    assert.is(JSON.stringify(value), JSON.stringify(want))
  })
}

test('every field that goes is named by its path (F-06)', () => {
  const schema = object({
    a: list(object({ b: text })),
    c: { type: 'object', additionalProperties: object({}) },
  })
  const { unknown } = readBy(schema, { a: [{ b: 'x' }, { d: 1 }], c: { k: { e: 1 } }, f: 1 })
  assert.equal(unknown, ['a[1].d', 'c.k.e', 'f'])
})

const refused: readonly (readonly [string, object, unknown, readonly string[]])[] = [
  [
    'another type',
    object({ a: whole }),
    { a: 'x' },
    ['a: Invalid value: "string": a in body must be of type integer: "string"'],
  ],
  [
    'a fraction',
    object({ a: whole }),
    { a: 1.5 },
    ['a: Invalid value: "number": a in body must be of type integer: "number"'],
  ],
  [
    'a list for an object',
    object({ a: object({}) }),
    { a: [] },
    ['a: Invalid value: "array": a in body must be of type object: "array"'],
  ],
  [
    'null among items',
    object({ a: list(text) }),
    { a: [null] },
    ['a[0]: Invalid value: "null": a[0] in body must be of type string: "null"'],
  ],
  [
    'neither number nor text',
    object({ a: { 'x-orch-int-or-string': true } }),
    { a: true },
    ['a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"'],
  ],
  [
    'too large',
    object({ a: { ...whole, maximum: 3 } }),
    { a: 4 },
    ['a: Invalid value: 4: a in body should be less than or equal to 3'],
  ],
  [
    'a double too large: its bound is one, too',
    object({ a: { type: 'number', maximum: 1e6 } }),
    { a: 1000000.5 },
    ['a: Invalid value: 1.0000005e+06: a in body should be less than or equal to 1e+06'],
  ],
  [
    'a name that a closed map does not have',
    object({ a: { type: 'object', properties: { b: whole }, additionalProperties: false } }),
    { a: { b: 1, c: 2 } },
    ['a: Invalid value: "c": a.c in body is a forbidden property'],
  ],
  [
    'as large as may not be',
    object({ a: { ...whole, maximum: 3, exclusiveMaximum: true } }),
    { a: 3 },
    ['a: Invalid value: 3: a in body should be less than 3'],
  ],
  [
    'too small',
    object({ a: { ...whole, minimum: 3 } }),
    { a: 2 },
    ['a: Invalid value: 2: a in body should be greater than or equal to 3'],
  ],
  [
    'as small as may not be',
    object({ a: { ...whole, minimum: 3, exclusiveMinimum: true } }),
    { a: 3 },
    ['a: Invalid value: 3: a in body should be greater than 3'],
  ],
  [
    'an integer below the whole part of a bound',
    object({ a: { type: 'number', minimum: 1.5 }, b: { type: 'number', minimum: 1.5 } }),
    { a: 1, b: 0 },
    ['b: Invalid value: 0: b in body should be greater than or equal to 1'],
  ],
  [
    'a factor that is not above 0',
    object({ a: { ...whole, multipleOf: -2 } }),
    { a: 4 },
    ['a: Invalid value: -2: factor MultipleOf declared for a must be positive: -2'],
  ],
  [
    'an object for a number: its fields go before it is judged',
    object({ a: { ...whole, minProperties: 1 } }),
    { a: { b: 1 } },
    [
      'a: Invalid value: "object": a in body must be of type integer: "object"',
      'a: Invalid value: 0: a in body should have at least 1 properties',
    ],
  ],
  [
    'no multiple',
    object({ a: { type: 'number', multipleOf: 0.1 } }),
    { a: 0.25 },
    ['a: Invalid value: 0.25: a in body should be a multiple of 0.1'],
  ],
  [
    'too short',
    object({ a: { ...text, minLength: 2 } }),
    { a: 'x' },
    ['a: Invalid value: "x": a in body should be at least 2 chars long'],
  ],
  [
    'too long, in characters',
    object({ a: { ...text, maxLength: 2 }, b: { ...text, maxLength: 2 } }),
    { a: 'xyz', b: '\u{1f600}\u{1f600}' },
    ['a: Too long: may not be longer than 2'],
  ],
  [
    'no match',
    object({ a: { ...text, pattern: '^a+$' } }),
    { a: 'b' },
    ['a: Invalid value: "b": a in body should match \'^a+$\''],
  ],
  [
    'not the form',
    object({ a: { ...text, format: 'date-time' } }),
    { a: 'b' },
    ['a: Invalid value: "b": a in body must be of type date-time: "b"'],
  ],
  [
    'too few items',
    object({ a: list(text, { minItems: 1 }) }),
    { a: [] },
    ['a: Invalid value: 0: a in body should have at least 1 items'],
  ],
  [
    'too many items',
    object({ a: list(text, { maxItems: 1 }) }),
    { a: ['x', 'y'] },
    ['a: Too many: 2: must have at most 1 items'],
  ],
  [
    'too few properties',
    object({ a: { type: 'object', ...kept, minProperties: 1 } }),
    { a: {} },
    ['a: Invalid value: 0: a in body should have at least 1 properties'],
  ],
  [
    'too many properties',
    object({ a: { type: 'object', ...kept, maxProperties: 1 } }),
    { a: { x: 1, y: 1 } },
    ['a: Too many: 2: must have at most 1 items'],
  ],
  [
    'a required field',
    object({ a: object({ b: text }, { required: ['b'] }) }),
    { a: {} },
    ['a.b: Required value'],
  ],
  [
    'a value outside a closed set',
    object({ a: { ...text, enum: ['y', 'x'] } }),
    { a: 'z' },
    ['a: Unsupported value: "z": supported values: "y", "x"'],
  ],
  [
    'an item of a set twice',
    object({ a: list(text, { 'x-orch-list-type': 'set' }) }),
    { a: ['x', 'y', 'x', 'x'] },
    ['a[2]: Duplicate value: "x"'],
  ],
  [
    'an item of a keyed list twice',
    object({
      a: list(object({ n: text, p: { ...whole, default: 80 } }), {
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['n', 'p'],
      }),
    }),
    { a: [{ n: 'x' }, { n: 'x', p: 80 }] },
    ['a[1]: Duplicate value: map[string]interface {}{"n":"x", "p":80}'],
  ],
  [
    'no alternative of any',
    object({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    {},
    ['<nil>: Invalid value: "": "" must validate at least one schema (anyOf)', 'a: Required value'],
  ],
  [
    'two alternatives of one',
    object({ a: text, b: text }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    { a: 'x', b: 'y' },
    [
      '<nil>: Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  ],
  [
    'not all',
    object({ a: { ...whole, allOf: [{ minimum: 2 }, { maximum: 5 }] } }),
    { a: 1 },
    [
      'a: Invalid value: 1: a in body should be greater than or equal to 2',
      '<nil>: Invalid value: "": "a" must validate all the schemas (allOf)',
    ],
  ],
  [
    'what must not be',
    object({ a: { ...text, not: { pattern: '^x' } } }),
    { a: 'xy' },
    ['<nil>: Invalid value: "": "a" must not validate the schema (not)'],
  ],
  [
    'an embedded object that does not say what it is',
    object({ a: object({ spec: text }, { 'x-orch-embedded-resource': true }) }),
    { a: { kind: 'no kind' } },
    [
      'a.apiVersion: Required value: must not be empty',
      "a.kind: Invalid value: \"no kind\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    'an embedded object in a map, by its key',
    object({
      a: {
        type: 'object',
        additionalProperties: { type: 'object', ...kept, 'x-orch-embedded-resource': true },
      },
    }),
    { a: { 'b/c': { kind: 'Pod' } } },
    ['a[b/c].apiVersion: Required value: must not be empty'],
  ],
  [
    'everything at once',
    object({ a: whole, b: { ...text, minLength: 1 }, c: text }, { required: ['c'] }),
    { a: 'x', b: '' },
    [
      'a: Invalid value: "string": a in body must be of type integer: "string"',
      'b: Invalid value: "": b in body should be at least 1 chars long',
      'c: Required value',
    ],
  ],
]

for (const [name, schema, given, texts] of refused) {
  test(`refused: ${name} (C-09)`, () => assert.equal(readBy(schema, given).findings, texts))
}

test('a second look at what was read finds and changes nothing more', () => {
  const schema = object({
    a: { ...whole, default: 1, maximum: 5 },
    b: list(object({ c: { ...text, nullable: true }, d: { 'x-orch-int-or-string': true } })),
    e: { type: 'object', additionalProperties: { ...text, maxLength: 3 } },
    f: { ...kept },
  })
  const any = fc.jsonValue({ maxDepth: 3 })
  const value = fc.record({ a: any, b: any, e: any, f: any, g: any }, { requiredKeys: [] })
  fc.assert(
    fc.property(value, (given) => {
      const once = readBy(schema, given)
      const twice = readBy(schema, once.value)
      assert.is(JSON.stringify(twice.value), JSON.stringify(once.value))
      assert.equal(twice.findings, once.findings)
      assert.equal(twice.unknown, [])
    }),
    { numRuns: 300 },
  )
})

test('names of a prototype are names like any other', () => {
  const given = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as unknown
  const { value } = readBy({ type: 'object', ...kept }, given)
  assert.is(JSON.stringify(value), '{"__proto__":{"a":1},"constructor":2}')
  assert.equal(readBy(object({}), given).unknown, ['__proto__', 'constructor'])
})

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const manyNames = times(5000, (index) => `p${index}`)

/** The same value, and how many of its keys and items have been looked at. */
function countLookups(value: unknown) {
  let count = 0
  const wrap = (one: unknown): unknown => {
    if (typeof one !== 'object' || one === null) return one
    const copy = Array.isArray(one)
      ? one.map(wrap)
      : Object.fromEntries(Object.entries(one).map(([key, item]) => [key, wrap(item)]))
    return new Proxy(copy, {
      get(target, key) {
        count++
        return Reflect.get(target, key)
      },
      has(target, key) {
        count++
        return Reflect.has(target, key)
      },
      getOwnPropertyDescriptor(target, key) {
        count++
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
    })
  }
  return { counted: wrap(value), lookups: () => count }
}

/** Schemas and values that are made to ask for far more than they say. */
const costly: readonly (readonly [string, object, unknown])[] = [
  [
    'alternatives of many items',
    list({ ...text, anyOf: times(500, (index) => ({ minLength: 100 + index })) }),
    times(20_000, () => 'a'),
  ],
  [
    'alternatives that count a long text',
    { ...text, oneOf: times(5000, (index) => ({ minLength: 500_000 - index })) },
    'a'.repeat(600_000),
  ],
  [
    'alternatives that count many properties',
    { type: 'object', ...kept, anyOf: times(9000, () => ({ minProperties: 9000 })) },
    Object.fromEntries(times(8000, (index) => [`k${index}`, 1])),
  ],
  [
    'alternatives with many names',
    list({
      ...object({}),
      anyOf: [{ properties: Object.fromEntries(manyNames.map((name) => [name, {}])) }],
    }),
    times(20_000, () => ({})),
  ],
  ['many required names', list(object({}, { required: manyNames })), times(20_000, () => ({}))],
  [
    'defaults that grow',
    list(object(Object.fromEntries(manyNames.map((name) => [name, { ...whole, default: 1 }])))),
    times(20_000, () => ({})),
  ],
  [
    'a long default in many places',
    list(object({ a: { ...text, default: 'a'.repeat(100_000) } })),
    times(20_000, () => ({})),
  ],
  [
    'many keys of items',
    list(object({}), { 'x-orch-list-type': 'map', 'x-orch-list-map-keys': manyNames }),
    times(20_000, () => ({})),
  ],
]

test('an enumeration of objects compares each value once, whatever the order of properties', () => {
  const values = times(5000, (index) => ({ a: index, b: [{ c: 1, d: 2 }] }))
  const schema = list({ ...object({}), ...kept, enum: values })
  const { counted, lookups } = countLookups(times(20_000, () => ({ b: [{ d: 2, c: 1 }], a: 7 })))
  assert.equal(readBy(schema, counted).findings, [])
  assert.ok(lookups() < 2_000_000, `${lookups()} lookups`)
  for (const other of [{ a: -1, b: [{ c: 1, d: 2 }] }, { a: 7, b: [[['c', 1]]] }, { a: 7 }]) {
    assert.match(String(readBy(schema, [other]).findings.at(-1)), 'Unsupported value')
  }
})

for (const [name, schema, value] of costly) {
  test(`${name} are looked at so far and no further, and the value is refused`, () => {
    const { counted, lookups } = countLookups(value)
    const { findings, work } = readBy(schema, counted)
    assert.match(String(findings.at(-1)), /too costly to validate: .* more than 200000 steps/)
    assert.ok(lookups() < 1_000_000, `${lookups()} lookups`)
    assert.ok(work < 13_000_000, `${work} steps`)
  })
}

test('a pattern that needs too many steps for a text is left, and the value is refused', () => {
  const text = times(100_000, (index) => ((index * index) % 7 > 3 ? 'a' : 'b')).join('')
  const { findings } = readBy({ type: 'string', pattern: '(a|b)*a(a|b){900}$' }, `${text}c`)
  assert.match(String(findings.at(-1)), /too costly to validate: its patterns ask for more than/)
})

test('values of the size that an object may have are within what may be asked', () => {
  const pattern = { ...text, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', minLength: 1 }
  const port = object({ name: pattern, protocol: { ...text, default: 'TCP' }, port: intOrString })
  const ports = times(25_000, (index) => ({ name: `port-${index}`, port: index }))
  assert.equal(readBy(list(port), ports).findings, [])
  assert.equal(readBy(pattern, 'a'.repeat(1_500_000)).findings, [])
})

test('the first alternative that holds is enough', () => {
  const anyOf = [{ minLength: 1 }, { pattern: '(a|b)*a(a|b){900}$' }]
  assert.equal(readBy({ ...text, anyOf }, 'ab'.repeat(100_000)).findings, [])
})

test('of what alternatives find no more is told than of anything else', () => {
  const schema = list({ ...text, anyOf: [{ minLength: 2 }, { minLength: 3 }] })
  const { findings } = readBy(
    schema,
    times(5000, () => 'a'),
  )
  assert.is(findings.length, 1000)
})

test('integers of 64 bits are shown exactly, wherever they stand', () => {
  const most = 9223372036854775807n
  assert.equal(readBy({ type: 'object', ...kept, enum: [{ a: most }] }, { a: 1 }).findings, [
    '<nil>: Unsupported value: map[string]interface {}{"a":1}: supported values: "{\\"a\\":\\"9223372036854775807\\"}"',
  ])
  const embedded = { type: 'object', 'x-orch-embedded-resource': true, ...kept }
  const { findings } = readBy(embedded, { apiVersion: most, kind: 'A', metadata: {} })
  assert.equal(findings, ['apiVersion: Invalid value: 9223372036854775807: must be a string'])
})

test('what is told of a value is bounded, whatever it and its schema are called', () => {
  const enumeration = { ...text, enum: times(20_000, (index) => `value-${index}`) }
  const given = { ['k'.repeat(100_000)]: times(2000, () => 'x') }
  const schema = { type: 'object', additionalProperties: list(enumeration) }
  const { findings } = readBy(schema, given)
  assert.is(findings.length, 1000)
  assert.ok(findings.every((one) => one.length < 10_000))
  const strange = readBy(object({ a: object({}) }), { a: { ['k'.repeat(100_000)]: 1 } })
  assert.ok(strange.unknown.every((one) => one.length < 5000))
})

test.run()
