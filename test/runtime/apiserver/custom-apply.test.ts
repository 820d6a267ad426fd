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

test.run()
