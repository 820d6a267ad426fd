import assert from 'node:assert/strict'
import test from 'node:test'
import { conditionOf, createManager } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { startControlPlane } from 'orch/testing'
import { sampleKinds } from '../generated/apis/sample/v1alpha1/sample-kind.ts'
import { scheme } from '../generated/scheme.ts'
import { sampleKindController } from '../src/controller.ts'

test('SampleKind: its text is kept in a ConfigMap that it owns', { timeout: 60_000 }, async () => {
  await using plane = await startControlPlane({ schemes: [scheme] })
  const { client } = plane
  const stop = new AbortController()
  const running = createManager({ client, controllers: [sampleKindController] }).run(stop.signal)

  const hello = { metadata: { name: 'hello' }, spec: { text: 'Hello, world' } }
  const created = await client.resource(sampleKinds).create(hello)
  for await (const { object } of client.resource(sampleKinds).watch({}, stop.signal)) {
    if (conditionOf(object.status?.conditions, 'Ready')?.status === 'True') break
  }
  const kept = await client.resource(configMaps).get('hello')
  assert.deepEqual(kept.data, { text: 'Hello, world' })
  assert.equal(kept.metadata.ownerReferences?.[0]?.uid, created.metadata.uid)

  stop.abort()
  await running
})

test('SampleKind: without a text it is refused', { timeout: 60_000 }, async () => {
  await using plane = await startControlPlane({ schemes: [scheme] })
  const empty = { metadata: { name: 'empty' }, spec: { text: '' } }
  await assert.rejects(plane.client.resource(sampleKinds).create(empty), /spec\.text/)
})
