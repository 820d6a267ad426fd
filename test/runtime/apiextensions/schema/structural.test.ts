/** Which schemas a definition may have, and the exact texts about those that it may not (C-05, C-06, C-12). */
import '../../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { refusals } from '../../../support/schema-cases.ts'

const test = suite('runtime/apiextensions: structural schemas')

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const field = (schema: object) => object({ a: schema })
const at = 's.properties[a]'

const accepted: readonly (readonly [string, object])[] = [
  ['an object without properties', { type: 'object' }],
  ['a map', field({ type: 'object', additionalProperties: { type: 'string' } })],
  ['a value of any form', field({ 'x-orch-preserve-unknown-fields': true })],
  ['a number or a text', field({ 'x-orch-int-or-string': true })],
  [
    'a number or a text that is spelled out',
    field({ 'x-orch-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  ],
  [
    'a number or a text that is spelled out among other alternatives',
    field({
      'x-orch-int-or-string': true,
      allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: '^a' }],
    }),
  ],
  [
    'alternatives that restrict what stands outside',
    object(
      { a: { type: 'string' }, b: { type: 'integer' } },
      { oneOf: [{ required: ['a'] }, { properties: { b: { minimum: 1 } } }] },
    ),
  ],
  [
    'a field that stands only in an alternative below the root',
    field({ type: 'object', oneOf: [{ properties: { b: { minLength: 1 } } }] }),
  ],
  ['no additional properties', field({ type: 'object', additionalProperties: false })],
  [
    'a rule that stands twice',
    field({ type: 'string', 'x-orch-validations': [{ rule: 'true' }, { rule: 'true' }] }),
  ],
  [
    'a rule about a change inside an atomic map',
    field({
      type: 'object',
      'x-orch-map-type': 'atomic',
      properties: { b: { type: 'string', 'x-orch-validations': [{ rule: 'self == oldSelf' }] } },
    }),
  ],
  [
    'an embedded object',
    field({
      type: 'object',
      'x-orch-embedded-resource': true,
      'x-orch-preserve-unknown-fields': true,
    }),
  ],
  [
    'metadata whose name is restricted',
    object({ metadata: object({ name: { type: 'string', maxLength: 20 } }) }),
  ],
  [
    'a list with keys that are required or have a default',
    field({
      type: 'array',
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': ['name', 'port'],
      items: object(
        { name: { type: 'string' }, port: { type: 'integer', default: 80 } },
        { required: ['name'] },
      ),
    }),
  ],
]

for (const [name, schema] of accepted) {
  test(`structural: ${name}`, () => assert.equal(refusals(schema), []))
}

const refused: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'null at the root',
    { type: 'object', nullable: true },
    ['s.nullable: Forbidden: nullable cannot be true at the root'],
  ],
  [
    'a default that breaks a rule of its own (C-08)',
    field({
      type: 'integer',
      default: 0,
      'x-orch-validations': [{ rule: 'self > 0', message: 'above 0' }],
    }),
    [`${at}.default: Invalid value: "integer": above 0`],
  ],
  [
    'a default of the root that is no whole object',
    object({ a: { type: 'string' } }, { default: { a: 'x' } }),
    [
      's.default.apiVersion: Required value: must not be empty',
      's.default.kind: Required value: must not be empty',
    ],
  ],
  [
    'a default whose items are of another type',
    field({ type: 'array', items: { type: 'integer' }, default: ['x'] }),
    [`${at}.default.[0]: Invalid value: "string": [0] in body must be of type integer: "string"`],
  ],
  [
    'a default that is judged as it is written, with what would be pruned and without what would be set',
    field(
      object({ b: { type: 'string', default: 'x' } }, { required: ['b', 'c'], default: { c: 1 } }),
    ),
    [
      `${at}.default: Invalid value: map[string]interface {}{"c":1}: must not have unknown fields`,
      `${at}.default.b: Required value`,
    ],
  ],
  [
    'a default whose rule does not compile',
    field({ type: 'boolean', default: true, 'x-orch-validations': [{ rule: 'self + 1' }] }),
    [
      `${at}.default: Invalid value: "boolean": rule compile error: compilation failed: ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(bool, int)'\n | self + 1\n | .....^`,
    ],
  ],
  [
    'a map list without items and keys',
    field({ type: 'array', 'x-orch-list-type': 'map' }),
    [
      `${at}.items: Required value: must be specified`,
      `${at}.x-orch-list-map-keys: Required value: must not be empty if x-orch-list-type is map`,
      `${at}.items: Required value: must have a schema if x-orch-list-type is map`,
    ],
  ],
  [
    'an embedded object in the metadata of another',
    field({
      type: 'object',
      'x-orch-embedded-resource': true,
      properties: {
        metadata: {
          type: 'object',
          properties: {
            a: { type: 'object', additionalProperties: { type: 'string', default: 'b' } },
          },
        },
      },
    }),
    [
      `${at}.properties[metadata].properties[a].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata`,
    ],
  ],
  [
    'what is wrong with keywords, structure and the form of rules, all together',
    field({ uniqueItems: true, 'x-orch-validations': [{ rule: ' ' }, { rule: 'self.b ==' }] }),
    [
      `${at}.type: Required value: must not be empty for specified object fields`,
      `${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      `${at}.x-orch-validations[0].rule: Required value: rule is not specified`,
    ],
  ],
  [
    'a keyword that no definition has',
    field({ type: 'string', $schema: 'x' }),
    [`s: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
  ],
  ['no type at the root', {}, ['s.type: Required value: must not be empty at the root']],
  [
    'another type at the root',
    { type: 'array', items: { type: 'string' } },
    ['s.type: Invalid value: "array": must be object at the root'],
  ],
  [
    'a map at the root',
    { type: 'object', additionalProperties: { type: 'string' } },
    ['s.additionalProperties: Forbidden: must not be used at the root'],
  ],
  [
    'a field without type',
    field({ minimum: 1 }),
    [`${at}.type: Required value: must not be empty for specified object fields`],
  ],
  [
    'an item without type',
    field({ type: 'array', items: {} }),
    [`${at}.items.type: Required value: must not be empty for specified array items`],
  ],
  [
    'a list without items',
    field({ type: 'array' }),
    [`${at}.items: Required value: must be specified`],
  ],
  ['a reference', field({ $ref: '#/x' }), [`${at}.$ref: Forbidden: $ref is not supported`]],
  [
    'definitions',
    field({ type: 'object', definitions: { b: { type: 'string' } } }),
    [`${at}.definitions: Forbidden: definitions is not supported`],
  ],
  [
    'dependencies',
    field({ type: 'object', dependencies: { b: ['c'] } }),
    [`${at}.dependencies: Forbidden: dependencies is not supported`],
  ],
  [
    'patternProperties',
    field({ type: 'object', patternProperties: { b: { type: 'string' } } }),
    [`${at}.patternProperties: Forbidden: patternProperties is not supported`],
  ],
  [
    'additionalItems',
    field({ type: 'array', items: { type: 'string' }, additionalItems: true }),
    [`${at}.additionalItems: Forbidden: additionalItems is not supported`],
  ],
  ['an id', field({ type: 'string', id: 'x' }), [`${at}.id: Forbidden: id is not supported`]],
  [
    'unique items',
    field({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
    [
      `${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
  ],
  [
    'the type null',
    field({ type: 'null' }),
    [
      `${at}.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      `${at}.type: Forbidden: type cannot be set to null, use nullable as an alternative`,
    ],
  ],
  [
    'a type that there is not',
    field({ type: 'text' }),
    [
      `${at}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  ],
  [
    'items as a list',
    field({ type: 'array', items: [{ type: 'string' }] }),
    [`${at}.items: Forbidden: items must be a schema object and not an array`],
  ],
  [
    'properties beside a map',
    field({
      type: 'object',
      properties: { b: { type: 'string' } },
      additionalProperties: { type: 'string' },
    }),
    [
      `${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
  ],
  [
    'named properties and no others',
    field({ type: 'object', additionalProperties: false, properties: { b: { type: 'string' } } }),
    [
      `${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
  ],
  [
    'unknown fields that are not kept',
    field({ type: 'object', 'x-orch-preserve-unknown-fields': false }),
    [`${at}.x-orch-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
  ],
  [
    'a pattern with look-ahead (C-10)',
    field({ type: 'string', pattern: '(?=a)' }),
    [
      `${at}.pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ],
  ],
  [
    'a described alternative',
    field({
      type: 'object',
      anyOf: [{ type: 'object', description: 'x', title: 'y', nullable: true, default: {} }],
    }),
    [
      `${at}.anyOf[0].default: Forbidden: must be undefined to be structural`,
      `${at}.anyOf[0].description: Forbidden: must be empty to be structural`,
      `${at}.anyOf[0].nullable: Forbidden: must be false to be structural`,
      `${at}.anyOf[0].title: Forbidden: must be empty to be structural`,
      `${at}.anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
  ],
  [
    'extensions in an alternative',
    field({
      type: 'object',
      not: { 'x-orch-preserve-unknown-fields': true, 'x-orch-int-or-string': true },
    }),
    [
      `${at}.not.x-orch-int-or-string: Forbidden: must be false to be structural`,
      `${at}.not.x-orch-preserve-unknown-fields: Forbidden: must be false to be structural`,
    ],
  ],
  [
    'a map in an alternative',
    field({ type: 'object', allOf: [{ additionalProperties: { minLength: 1 } }] }),
    [`${at}.allOf[0].additionalProperties: Forbidden: must be undefined to be structural`],
  ],
  [
    'a field that stands only in an alternative of the root',
    object({}, { oneOf: [{ properties: { b: { minLength: 1 } } }] }),
    ['s.properties[b]: Required value: because it is defined in s.oneOf[0].properties[b]'],
  ],
  [
    'items that stand only in an alternative of the root',
    object({}, { not: { items: { minLength: 1 } } }),
    ['s.items: Required value: because it is defined in s.not.items'],
  ],
  [
    'metadata in an alternative',
    object({ metadata: { type: 'object' } }, { not: { properties: { metadata: {} } } }),
    ['s.not.properties[metadata]: Forbidden: must not be specified in a nested context'],
  ],
  [
    'restricted metadata',
    object({ metadata: object({ labels: { type: 'object' } }) }),
    [
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ],
  [
    'metadata that is no object',
    object({ metadata: { type: 'string' } }),
    ['s.properties[metadata].type: Invalid value: "string": must be object'],
  ],
  [
    'a kind that is no text',
    object({ kind: { type: 'object' } }),
    ['s.properties[kind].type: Invalid value: "object": must be string'],
  ],
  [
    'an embedded object of no type',
    field({ 'x-orch-embedded-resource': true, 'x-orch-preserve-unknown-fields': true }),
    [`${at}.type: Required value: must be object if x-orch-embedded-resource is true`],
  ],
  [
    'an embedded object that keeps nothing',
    field({ type: 'object', 'x-orch-embedded-resource': true }),
    [
      `${at}.properties: Required value: must not be empty if x-orch-embedded-resource is true without x-orch-preserve-unknown-fields`,
    ],
  ],
  [
    'a number or a text of any form',
    field({ 'x-orch-int-or-string': true, 'x-orch-preserve-unknown-fields': true }),
    [
      `${at}.x-orch-preserve-unknown-fields: Invalid value: true: must be false if x-orch-int-or-string is true`,
    ],
  ],
  [
    'a list type without list',
    field({ type: 'object', 'x-orch-list-type': 'set' }),
    [`${at}.type: Invalid value: "object": must be array if x-orch-list-type is specified`],
  ],
  [
    'a list type that there is not',
    field({ type: 'array', items: { type: 'string' }, 'x-orch-list-type': 'bag' }),
    [`${at}.x-orch-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`],
  ],
  [
    'keys of a list that is none',
    field({
      type: 'array',
      items: object({ b: { type: 'string' } }),
      'x-orch-list-map-keys': ['b'],
    }),
    [`${at}.x-orch-list-type: Required value: must be map if x-orch-list-map-keys is non-empty`],
  ],
  [
    'a keyed list without keys',
    field({ type: 'array', items: { type: 'object' }, 'x-orch-list-type': 'map' }),
    [`${at}.x-orch-list-map-keys: Required value: must not be empty if x-orch-list-type is map`],
  ],
  [
    'a key that items do not have',
    field({
      type: 'array',
      items: { type: 'object' },
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': ['b'],
    }),
    [
      `${at}.x-orch-list-map-keys: Invalid value: []string{"b"}: entries must all be names of item properties`,
    ],
  ],
  [
    'a key that may be absent',
    field({
      type: 'array',
      items: object({ b: { type: 'string' } }),
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': ['b'],
    }),
    [
      `${at}.items.properties[b].default: Required value: this property is in x-orch-list-map-keys, so it must have a default or be a required property`,
    ],
  ],
  [
    'a key that is no scalar',
    field({
      type: 'array',
      items: object({ b: { type: 'object' } }, { required: ['b'] }),
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': ['b'],
    }),
    [
      `${at}.items.properties[b].type: Invalid value: "object": must be a scalar type if parent array's x-orch-list-type is map`,
    ],
  ],
  [
    'a set of objects that merge',
    field({ type: 'array', items: { type: 'object' }, 'x-orch-list-type': 'set' }),
    [
      `${at}.items.x-orch-map-type: Invalid value: "null": must be atomic as item of a list with x-orch-list-type=set`,
    ],
  ],
  [
    'a map type of no object',
    field({ type: 'string', 'x-orch-map-type': 'atomic' }),
    [`${at}.type: Invalid value: "string": must be object if x-orch-map-type is specified`],
  ],
  [
    'a default of the wrong type (C-08)',
    field({ type: 'integer', default: 'one' }),
    [`${at}.default: Invalid value: "string":  in body must be of type integer: "string"`],
  ],
  [
    'a default with unknown fields (C-08)',
    field(object({ b: { type: 'string' } }, { default: { c: 1 } })),
    [`${at}.default: Invalid value: map[string]interface {}{"c":1}: must not have unknown fields`],
  ],
  [
    'a default whose part is invalid',
    field(object({ b: { type: 'integer', maximum: 3 } }, { default: { b: 4 } })),
    [`${at}.default.b: Invalid value: 4: b in body should be less than or equal to 3`],
  ],
  [
    'a default of metadata',
    object({
      metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } },
    }),
    [
      's.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
    ],
  ],
]

for (const [name, schema, texts] of refused) {
  test(`not structural: ${name}`, () => assert.equal(refusals(schema), texts))
}

test('a schema that nests five hundred levels is checked like any other', () => {
  let schema: object = { minimum: 1 }
  for (let level = 0; level < 500; level++) schema = object({ a: schema })
  const [text = ''] = refusals(schema)
  assert.match(text, /Required value: must not be empty for specified object fields$/)
})

test('defaults that ask for very much of their schemas are refused, each with its place', () => {
  const anyOf = Array.from({ length: 500 }, (_, index) => ({ minLength: 100 + index }))
  const items = { type: 'string', anyOf }
  const long = Array.from({ length: 20_000 }, () => 'a')
  const found = refusals(field({ type: 'array', items, default: long }))
  assert.match(String(found.at(-1)), /^s\.properties\[a\]\.default: .* too costly to validate/)
  const few = refusals(field({ type: 'array', items, default: ['a'.repeat(200)] }))
  assert.equal(few, [])
})

test('what is wrong with a schema is looked for up to a bound', () => {
  const nameless = Array.from({ length: 12_000 }, (_, index) => [`p${index}`, {}] as const)
  const alternatives = Array.from({ length: 12_000 }, () => ({ type: 'string' }))
  for (const schema of [
    object(Object.fromEntries(nameless)),
    field({ type: 'string', anyOf: alternatives }),
    object({}, { anyOf: [object(Object.fromEntries(nameless))] }),
  ]) {
    const { length } = refusals(schema)
    assert.ok(length >= 10_000 && length < 10_010, `${length} findings`)
  }
})

test.run()
