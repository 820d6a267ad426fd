/** How the parts of a custom object merge: as its schema says, and otherwise whole lists and single fields (A2.41). */
import '../../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mergeFacts } from '../../../../runtime/apiextensions/kind/merge.ts'
import { schemaOf } from '../../../../runtime/apiextensions/schema/schema.ts'
import { compareVersions } from '../../../../runtime/kernel/meta/version-order.ts'
import type { JsonObject } from '../../../../runtime/kernel/values/json.ts'

const test = suite('runtime/apiextensions: merge facts')

const of = (raw: object) => mergeFacts(schemaOf(raw as JsonObject, 'orch'), undefined)
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

test('a schema without markers merges by fields, and lists as a whole (A2.41)', () => {
  const schema = object({
    a: { type: 'array', items: { type: 'string' } },
    b: object({ c: { type: 'string' } }),
  })
  assert.is(of(schema), undefined)
})

test('below a schema that keeps unknown fields all fields merge by entry at any depth (A-23)', () => {
  const inner = object({ a: { type: 'string' } })
  const schema = object({ inner }, { 'x-orch-preserve-unknown-fields': true })
  const merge = of(schema)?.fields?.inner as { readonly map?: string; readonly fields?: object }
  assert.is(merge.map, 'granular')
  assert.equal(merge.fields, { a: {} })
})

test('sets and keyed lists merge by their items, with the defaults of their keys (A2.37, A2.38)', () => {
  const port = { type: 'integer', default: 80 }
  const items = object({
    name: { type: 'string' },
    port,
    tags: { type: 'array', 'x-orch-list-type': 'set', items: { type: 'string' } },
  })
  const ports = {
    type: 'array',
    'x-orch-list-type': 'map',
    'x-orch-list-map-keys': ['name', 'port'],
    items,
  }
  assert.equal(of(object({ ports })), {
    fields: {
      ports: {
        list: 'map',
        keys: ['name', 'port'],
        defaults: { port: 80 },
        items: { fields: { tags: { list: 'set' } } },
      },
    },
  })
})

test('an atomic map or struct merges as one (A2.39, A2.40)', () => {
  const atomic = { 'x-orch-map-type': 'atomic' }
  const map = { type: 'object', additionalProperties: { type: 'string' }, ...atomic }
  assert.equal(of(object({ map, struct: object({}, atomic) })), {
    fields: { map: { map: 'atomic' }, struct: { map: 'atomic' } },
  })
})

test('the entries of a map of objects are fields of their own', () => {
  const map = { type: 'object', additionalProperties: object({ a: { type: 'string' } }) }
  assert.equal(of(object({ map })), { fields: { map: { map: 'granular' } } })
})

test('what a schema preserves without knowing it merges by entry at any depth', () => {
  const open = { 'x-orch-preserve-unknown-fields': true }
  const facts = of(object({ open: object({ known: { type: 'string' } }, open) }))?.fields?.open
  assert.ok(typeof facts === 'object')
  assert.is(facts.map, 'granular')
  assert.equal(Object.keys(facts.fields ?? {}), ['known'])
  const below = facts.items
  assert.ok(typeof below === 'function')
  assert.is(below().items, below)
})

test('versions stand with stable ones first, each by descending numbers (S-08, C-21)', () => {
  const names = [
    'foo10',
    'v1alpha1',
    'v10',
    'v2',
    'v11beta2',
    'v1',
    'v3beta1',
    'foo1',
    'v12alpha1',
    'v10beta3',
    'v11alpha2',
  ]
  assert.equal(names.sort(compareVersions), [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'v1alpha1',
    'foo1',
    'foo10',
  ])
})

test.run()
