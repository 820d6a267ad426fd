/** What is wrong with custom objects, in the words and the order of the reference: only what would be stored is judged. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CustomServer, definition, startCustom } from '../../support/custom.ts'

const test = suite('runtime/apiserver: errors of custom objects')

let custom: CustomServer
test.before(async () => {
  custom = await startCustom()
})
test.after(() => custom.stop())

const notChecked =
  '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** Defines a kind of this schema, and gives the paths of its objects. */
async function define(kind: string, properties: object, status = true): Promise<string> {
  const version = status ? { subresources: { status: {} } } : {}
  await custom.define(definition(kind, { type: 'object', properties }, { version }))
  return `/apis/example.com/v1/namespaces/default/${kind.toLowerCase()}s`
}

function body(kind: string, fields: object, name = 'x'): object {
  return { apiVersion: 'example.com/v1', kind, metadata: name ? { name } : {}, ...fields }
}

const mergePatch = 'application/merge-patch+json'

async function causes(method: string, path: string, object: object): Promise<readonly string[]> {
  const type = method === 'PATCH' ? mergePatch : 'application/json'
  const { status, json, text } = await custom.ask(method, path, object, type)
  if (status < 300) return []
  assert.is(status, 422, text)
  return json.details.causes.map(
    ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
  )
}

async function redefine(kind: string, properties: object): Promise<void> {
  const path = `/apis/apiextensions.orch.io/v1/customresourcedefinitions/${kind.toLowerCase()}s.example.com`
  const patch = [
    {
      op: 'replace',
      path: '/spec/versions/0/schema/openAPIV3Schema/properties',
      value: properties,
    },
  ]
  const { status, text } = await custom.ask('PATCH', path, patch, 'application/json-patch+json')
  assert.is(status, 200, text)
}

test('a status is written though the spec no longer fits its schema (C-16)', async () => {
  const loose = { spec: { type: 'object', properties: { a: { type: 'integer' } } } }
  const ready = { status: { type: 'object', properties: { n: { type: 'integer', maximum: 3 } } } }
  const path = await define('Gear', { ...loose, ...ready })
  assert.equal(await causes('POST', path, body('Gear', { spec: { a: 9 } })), [])
  const tight = {
    spec: { type: 'object', properties: { a: { type: 'integer', maximum: 5 } }, required: ['b'] },
  }
  await redefine('Gear', { ...tight, ...ready })
  const refused = await causes('PATCH', `${path}/x`, { spec: { a: 8 } })
  assert.ok(refused.length > 0, 'the new schema is in force')
  assert.equal(await causes('PATCH', `${path}/x/status`, { status: { n: 1 } }), [])
  const { json } = await custom.ask('GET', `${path}/x`)
  assert.is(json.status.n, 1)
})

test('paths of a status begin in the status (C-16)', async () => {
  const status = {
    type: 'object',
    required: ['n'],
    properties: {
      n: { type: 'integer', maximum: 3 },
      list: { type: 'array', items: { type: 'string' }, 'x-orch-list-type': 'set' },
    },
  }
  const path = await define('Pump', { status })
  assert.equal(await causes('POST', path, body('Pump', {})), [])
  assert.equal(await causes('PATCH', `${path}/x/status`, { status: { n: 'a' } }), [
    'n: Invalid value: "string": n in body must be of type integer: "string"',
  ])
  assert.equal(await causes('PATCH', `${path}/x/status`, { status: { list: ['a', 'a'] } }), [
    'n: Required value',
    'status.list[1]: Duplicate value: "a"',
  ])
})

test('what a sender writes into a status that will be dropped is not judged (C-16)', async () => {
  const status = {
    type: 'object',
    anyOf: [{ required: ['a'] }],
    properties: { a: { type: 'string' } },
  }
  const path = await define('Valve', { status })
  assert.equal(await causes('POST', path, body('Valve', { status: { b: 1 } })), [])
  assert.equal(await causes('PATCH', `${path}/x`, { status: { b: 1 } }), [])
})

test('a rule is run on a value that breaks a bound, and both are told (C-09)', async () => {
  const spec = {
    type: 'string',
    minLength: 3,
    'x-orch-validations': [{ rule: "self.startsWith('a')", message: 'begins with a' }],
  }
  const path = await define('Rope', { spec })
  assert.equal(await causes('POST', path, body('Rope', { spec: 'b' })), [
    'spec: Invalid value: "b": spec in body should be at least 3 chars long',
    'spec: Invalid value: "string": begins with a',
  ])
})

test('an enumeration that does not hold, and a missing name, keep rules from being run (C-09)', async () => {
  const spec = {
    type: 'string',
    enum: ['a', 'b'],
    'x-orch-validations': [{ rule: "self == 'a'", message: 'is a' }],
  }
  const path = await define('Bolt', { spec })
  assert.equal(await causes('POST', path, body('Bolt', { spec: 'c' })), [
    'spec: Unsupported value: "c": supported values: "a", "b"',
    notChecked,
  ])
  assert.equal(await causes('POST', path, body('Bolt', { spec: 'b' }, '')), [
    'metadata.name: Required value: name or generateName is required',
    notChecked,
  ])
})

test('an update may leave a list with equal items, and no create may make one (C-12)', async () => {
  const list = { type: 'array', items: { type: 'integer' } }
  const path = await define('Chain', { list, n: { type: 'integer' } }, false)
  assert.equal(await causes('POST', path, body('Chain', { list: [1, 1] })), [])
  await redefine('Chain', { list: { ...list, 'x-orch-list-type': 'set' }, n: { type: 'integer' } })
  assert.equal(await causes('PATCH', `${path}/x`, { n: 1 }), [])
  assert.equal(await causes('POST', path, body('Chain', { list: [1, 1] }, 'y')), [
    'list[1]: Duplicate value: 1',
  ])
})

test('replicas of a scale are whole numbers that are not negative, in every write (C-17)', async () => {
  const count = { type: 'object', 'x-orch-preserve-unknown-fields': true }
  const scale = {
    specReplicasPath: '.spec.n',
    statusReplicasPath: '.status.n',
    labelSelectorPath: '.status.s',
  }
  const version = { subresources: { status: {}, scale } }
  const schema = { type: 'object', properties: { spec: count, status: count } }
  await custom.define(definition('Crew', schema, { version }))
  const path = '/apis/example.com/v1/namespaces/default/crews'
  assert.equal(await causes('POST', path, body('Crew', { spec: { n: -1 } })), [
    '.spec.n: Invalid value: -1: should be a non-negative integer',
  ])
  assert.equal(await causes('POST', path, body('Crew', { spec: { n: 2147483648 } })), [
    '.spec.n: Invalid value: 2147483648: should be less than or equal to 2147483647',
  ])
  assert.equal(await causes('POST', path, body('Crew', { spec: { n: 'a' } })), [
    '.spec.n: Invalid value: 0: .spec.n accessor error: a is of the type string, expected int64',
  ])
  assert.equal(await causes('POST', path, body('Crew', {})), [])
  assert.equal(await causes('PATCH', `${path}/x/status`, { status: { n: -1, s: 5 } }), [
    '.status.n: Invalid value: -1: should be a non-negative integer',
    '.status.s: Invalid value: "": .status.s accessor error: 5 is of the type int64, expected string',
  ])
  const told = ['.spec.n: Invalid value: -1: should be a non-negative integer']
  await custom.define(definition('Band', { type: 'object' }, { version }))
  const bands = '/apis/example.com/v1/namespaces/default/bands'
  assert.equal(await causes('POST', bands, body('Band', {})), [])
  for (const scaled of [`${path}/x/scale`, `${bands}/x/scale`]) {
    assert.equal(await causes('PATCH', scaled, { spec: { replicas: -1 } }), told)
    const negative = { metadata: { name: 'x' }, spec: { replicas: -1 } }
    assert.equal(await causes('PUT', scaled, negative), told)
    assert.equal(await causes('PATCH', scaled, { spec: { replicas: 1 } }), [])
  }
})

/** Schemas of `spec`, values of it, and what is told. */
const rows: readonly (readonly [string, object, unknown, readonly string[]])[] = [
  [
    'of the length and the pattern of a text the first is told',
    { type: 'string', minLength: 3, pattern: '^a' },
    'b',
    ['spec: Invalid value: "b": spec in body should be at least 3 chars long'],
  ],
  [
    'the errors of allOf stand before its own, which says if none holds',
    { type: 'integer', allOf: [{ minimum: 3 }, { minimum: 4 }] },
    1,
    [
      'spec: Invalid value: 1: spec in body should be greater than or equal to 3',
      'spec: Invalid value: 1: spec in body should be greater than or equal to 4',
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
    ],
  ],
  [
    'of alternatives the first is told that matches as much as any',
    { type: 'integer', anyOf: [{ minimum: 3, multipleOf: 2 }, { minimum: 4 }] },
    1,
    [
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      'spec: Invalid value: 1: spec in body should be a multiple of 2',
      'spec: Invalid value: 1: spec in body should be greater than or equal to 3',
    ],
  ],
  [
    'of null only the type and the enumeration are judged',
    { type: 'integer', nullable: true, enum: [1], not: {} },
    null,
    ['spec: Unsupported value: "null": supported values: "1"'],
  ],
  [
    'a value of another type than a format is named by its own format',
    { type: 'string', format: 'date' },
    5,
    ['spec: Invalid value: "int64": spec in body must be of type date: "int64"'],
  ],
  [
    'items of a map are objects',
    {
      type: 'array',
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
    },
    [5],
    [
      'spec[0]: Invalid value: "integer": spec[0] in body must be of type object: "integer"',
      'spec[0]: Invalid value: 5: must be an object for an array of list-type map',
    ],
  ],
  [
    'an embedded apiVersion has one slash',
    { type: 'object', 'x-orch-embedded-resource': true, 'x-orch-preserve-unknown-fields': true },
    { apiVersion: 'a/b/c', kind: 'K' },
    ['spec.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  ],
]

for (const [index, [what, spec, value, expected]] of rows.entries()) {
  test(what, async () => {
    const kind = `Row${'abcdefghijklm'[index]}`
    const path = await define(kind, { spec }, false)
    assert.equal(await causes('POST', path, body(kind, { spec: value })), expected)
  })
}

test.run()
