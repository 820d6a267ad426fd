/** Whose fields are whose in a custom object: as public servers of release 1.29 record it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CustomServer, definition, startCustom } from '../../support/custom.ts'

const test = suite('runtime/apiserver: applied custom objects')

let custom: CustomServer
test.before(async () => {
  custom = await startCustom()
})
test.after(() => custom.stop())

test('lists are one unless marked, unknown maps are granular, embedded metadata is typed (A-23)', async () => {
  const unknown = { type: 'object', 'x-orch-preserve-unknown-fields': true }
  const item = { type: 'object', properties: { a: { type: 'string' } } }
  await custom.define(
    definition('Blend', {
      type: 'object',
      properties: {
        open: unknown,
        list: { type: 'array', items: item },
        embedded: { ...unknown, 'x-orch-embedded-resource': true },
      },
    }),
  )
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u' }
  const metadata = {
    name: 'p',
    finalizers: ['example.com/f'],
    labels: { a: 'b' },
    ownerReferences: [owner],
  }
  const blend = {
    apiVersion: 'example.com/v1',
    kind: 'Blend',
    metadata: { name: 'a' },
    open: { map: { k: 1, deep: { l: [1, 2] } }, items: [{ x: 1 }] },
    list: [{ a: 'b' }],
    embedded: { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'c' }] } },
  }
  const path = '/apis/example.com/v1/namespaces/default/blends/a?fieldManager=test'
  const { status, json, text } = await custom.ask(
    'PATCH',
    path,
    blend,
    'application/apply-patch+yaml',
  )
  assert.is(status, 201, text)
  assert.equal(json.metadata.managedFields[0].fieldsV1, {
    'f:embedded': {
      'f:apiVersion': {},
      'f:kind': {},
      'f:metadata': {
        'f:finalizers': { 'v:"example.com/f"': {} },
        'f:labels': { 'f:a': {} },
        'f:name': {},
        'f:ownerReferences': { 'k:{"uid":"u"}': {} },
      },
      'f:spec': { '.': {}, 'f:containers': {} },
    },
    'f:list': {},
    'f:open': {
      'f:items': {},
      'f:map': { '.': {}, 'f:deep': { '.': {}, 'f:l': {} }, 'f:k': {} },
    },
  })
})

const text = { type: 'string' }
const named = {
  type: 'object',
  properties: { name: text, n: { type: 'integer' } },
  required: ['name'],
}

/** Defines a kind that has a status and lists of every sort, and gives an apply of its fields. */
async function defined(kind: string, more: object = {}): Promise<Apply> {
  const properties = {
    flag: { type: 'boolean' },
    size: { type: 'integer' },
    word: text,
    time: { type: 'string', format: 'date-time' },
    port: { 'x-orch-int-or-string': true },
    inner: { type: 'object', properties: { a: text } },
    list: { type: 'array', items: text },
    set: { type: 'array', items: text, 'x-orch-list-type': 'set' },
    keyed: {
      type: 'array',
      items: named,
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': ['name'],
    },
    byName: { type: 'object', additionalProperties: named },
  }
  const spec = { type: 'object', properties, ...more }
  const status = { type: 'object', properties: { n: { type: 'integer' } } }
  const schema = { type: 'object', properties: { spec, status } }
  await custom.define(definition(kind, schema, { version: { subresources: { status: {} } } }))
  const path = `/apis/example.com/v1/namespaces/default/${kind.toLowerCase()}s`
  return async (fields, at = 'x') => {
    const name = at.replace('/status', '')
    const body = { apiVersion: 'example.com/v1', kind, metadata: { name }, ...fields }
    const answer = await custom.ask(
      'PATCH',
      `${path}/${at}?fieldManager=test`,
      body,
      'application/apply-patch+yaml',
    )
    return { status: answer.status, json: answer.json, problems: problemsOf(answer.json?.message) }
  }
}

type Apply = (
  fields: object,
  at?: string,
) => Promise<{
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: objects of any form
  readonly json: any
  readonly problems: readonly string[]
}>

function problemsOf(message = ''): readonly string[] {
  const lines = message.replace(/^failed to create typed \w+ object \([^)]*\): (errors:)?/, '')
  return lines.split('\n').flatMap((line) => line.trim() || [])
}

test('what cannot be merged is refused as the public library refuses it, all of it at once (A-02)', async () => {
  const apply = await defined('Typed')
  const got = 'got &value.valueUnstructured'
  const table: readonly (readonly [fields: object, problems: readonly string[]])[] = [
    [
      { flag: 1, size: 'a' },
      ['.flag: expected boolean, got &{1}', '.size: expected numeric (int or float), got string'],
    ],
    [
      { word: [1, { a: null }] },
      [
        `.word: expected string, ${got}{Value:[]interface {}{1, map[string]interface {}{"a":interface {}(nil)}}}`,
      ],
    ],
    [
      { word: 12345678901234567890n },
      [`.word: expected string, ${got}{Value:1.2345678901234567e+19}`],
    ],
    [{ time: { a: 1 } }, ['.time: expected any scalar, got &{map[a:1]}']],
    [{ inner: [{ a: 1 }] }, ['.inner: expected map, got &{[map[a:1]]}']],
    [{ list: { a: 1 } }, ['.list: expected list, got &{map[a:1]}']],
    [{ list: [1] }, [`.list[0]: expected string, ${got}{Value:1}`]],
    [{ set: [true] }, [`.set[=true]: expected string, ${got}{Value:true}`]],
    [
      { set: [null] },
      [".set: element 0: associative list without keys has an element that's an explicit null"],
    ],
    [
      { set: [{}] },
      [".set: element 0: associative list without keys has an element that's a map type"],
    ],
    [
      { set: ['a', []] },
      ['.set: element 1: not supported: associative list with lists as elements'],
    ],
    [{ set: ['a', 'a'] }, ['.set: duplicate entries for key [="a"]']],
    [
      { keyed: [{ n: 1 }, null] },
      [
        '.keyed: element 0: associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
      ],
    ],
    [
      { keyed: [null] },
      ['.keyed: element 0: associative list with keys may not have a null element'],
    ],
    [
      { keyed: ['a'] },
      ['.keyed: element 0: associative list with keys may not have non-map elements'],
    ],
    [
      { keyed: [{ name: 'a', n: true }] },
      ['.keyed[name="a"].n: expected numeric (int or float), got bool'],
    ],
    [
      { byName: { k: { x: 1 } }, flag: 'a' },
      ['.byName.k.x: field not declared in schema', '.flag: expected boolean, got &{a}'],
    ],
  ]
  for (const [spec, problems] of table) {
    const written = JSON.stringify(spec, (_, one) => (typeof one === 'bigint' ? `#${one}` : one))
    const body = JSON.parse(written.replace(/"#(\d+)"/, '$1'))
    const answer = await apply({ spec: body })
    assert.is(answer.status, 500, written)
    assert.equal(
      answer.problems,
      problems.map((one) => `.spec${one}`),
      written,
    )
  }
})

test('where unknown fields are kept above, and where any value may stand, only the schema refuses (A-23)', async () => {
  const apply = await defined('Roomy', { 'x-orch-preserve-unknown-fields': true })
  const kept = await apply({ spec: { inner: { a: 'b', more: { deep: 1 } }, extra: [1] } })
  assert.is(kept.status, 201)
  assert.equal(kept.json.spec, { extra: [1], inner: { a: 'b' } })
  assert.equal(kept.json.metadata.managedFields[0].fieldsV1['f:spec']['f:inner'], {
    'f:a': {},
    'f:more': { '.': {}, 'f:deep': {} },
  })
  const port = await apply({ spec: { port: { a: 1 } } })
  assert.is(port.status, 422)
  assert.match(port.json.message, 'spec.port in body must be of type integer,string: "object"')
})

test('a null that is applied is refused where it may not stand, and not dropped', async () => {
  const apply = await defined('Void')
  for (const [spec, path] of [
    [null, 'spec'],
    [{ inner: null }, 'spec.inner'],
    [{ byName: { k: null } }, 'spec.byName.k'],
  ] as const) {
    const { status, json } = await apply({ spec })
    assert.is(status, 422, path)
    assert.is(json.details.causes[0].field, path)
    assert.match(json.details.causes[0].message, 'must be of type object: "null"')
  }
})

test('of a subresource it is told first that there is no object', async () => {
  const apply = await defined('Absent')
  assert.is((await apply({ status: { n: 'a' } }, 'y/status')).status, 404)
  assert.is((await apply({ spec: {} }, 'y')).status, 201)
  assert.is((await apply({ status: { n: 'a' } }, 'y/status')).status, 500)
})

test('an object that cannot be merged has no managers, though the part at fault is not written', async () => {
  await defined('Loose')
  const path = '/apis/example.com/v1/namespaces/default/looses'
  const object = { apiVersion: 'example.com/v1', kind: 'Loose', metadata: { name: 'a' } }
  const odd = await custom.ask('POST', path, { ...object, spec: { size: 1 }, status: { n: 'x' } })
  assert.is(odd.status, 201, odd.text)
  assert.is(odd.json.metadata.managedFields, undefined)
  const named = { ...object, metadata: { name: 'b' } }
  const plain = await custom.ask('POST', path, { ...named, spec: { size: 1 }, status: { n: 1 } })
  assert.is(plain.json.metadata.managedFields.length, 1)
  const { resourceVersion } = plain.json.metadata
  const metadata = { name: 'b', resourceVersion }
  const put = { ...named, metadata, spec: { size: 2 }, status: 'x' }
  const changed = await custom.ask('PUT', `${path}/b`, put)
  assert.is(changed.status, 200, changed.text)
  assert.is(changed.json.metadata.managedFields, undefined)
})

test('objects in a set can be stored but not merged', async () => {
  const items = { type: 'object', properties: { a: text }, 'x-orch-map-type': 'atomic' }
  const set = { type: 'array', items, 'x-orch-list-type': 'set' }
  await custom.define(definition('Pile', { type: 'object', properties: { set } }))
  const path = '/apis/example.com/v1/namespaces/default/piles'
  const body = { apiVersion: 'example.com/v1', kind: 'Pile', metadata: { name: 'a' } }
  const made = await custom.ask('POST', path, { ...body, set: [{ a: 'b' }] })
  assert.is(made.status, 201, made.text)
  assert.is(made.json.metadata.managedFields, undefined)
  const apply = 'application/apply-patch+yaml'
  const { status, text: why } = await custom.ask('PATCH', `${path}/a?fieldManager=t`, body, apply)
  assert.is(status, 500)
  assert.match(why, 'failed to create typed live object')
})

test.run()
