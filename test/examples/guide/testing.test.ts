// The guide page about tests: what its example says, under uvu and under node:test.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createManager } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { secrets } from 'orch/generated/apis/core/v1/secret'
import { assertSameObject, type ControlPlane, startControlPlane, virtualClock } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  aDay,
  addressInCloud,
  everyOrder,
  inFork,
  planText,
  sealed,
  sealing,
  settings,
  unluckyClient,
} from '../../../examples/guide/testing.ts'

const test = suite<{ prepared: ControlPlane }>('examples/guide: testing')

test.before(async (context) => {
  context.prepared = await startControlPlane()
})

test.after(({ prepared }) => prepared.stop())

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: {
    name: 'settings',
    namespace: 'default',
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'settings',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  data: { colour: Buffer.from('green').toString('base64') },
}

test('a day of the operator passes at once', async ({ prepared }) => {
  const clock = virtualClock()
  const began = clock.now()
  await using plane = await prepared.fork({ clock })
  await aDay(plane, clock)
  assert.is(clock.now() - began, 24 * 60 * 60 * 1000)
  assertSameObject(await plane.client.resource(secrets).get('settings'), secret)
  assert.equal(Object.keys(await sealed(plane)).includes('metadata'), true)
})

test('a fork keeps what a test does to itself', async ({ prepared }) => {
  await inFork(prepared, async ({ client }) => {
    await client.resource(secrets).create({ metadata: { name: 'mine' } })
  })
  assert.is(await prepared.client.resource(secrets).find('mine'), undefined)
})

test('the operator gets through a bad day of its server', async ({ prepared }) => {
  const clock = virtualClock()
  await using plane = await prepared.fork({ clock })
  const stop = new AbortController()
  const client = unluckyClient(plane, clock)
  const manager = createManager({ client, clock, controllers: [sealing] })
  const run = manager.run(stop.signal)
  await plane.client.resource(configMaps).create(settings)
  await clock.advanceAsync(10 * 60_000)
  assertSameObject(await plane.client.resource(secrets).get('settings'), secret)
  stop.abort()
  await run
})

test('the operator ends where it should in every order', ({ prepared }) => everyOrder(prepared))

test('the plan says what would be written', async ({ prepared }) => {
  const text = await planText(prepared)
  assert.is(text.split('\n')[0], 'create Secret default/settings')
  assert.match(text, /data: \{"colour":"Z3JlZW4="\}/)
  assert.is(await prepared.client.resource(secrets).find('settings'), undefined)
})

test('a service has an address once its cloud makes a balancer', async () => {
  assert.is(await addressInCloud(virtualClock()), '198.18.0.1')
})

for (const [runner, ...args] of [['uvu'], ['node-test', '--test']] as const) {
  test(`a test of the operator passes under ${runner}`, () => {
    const url = new URL(`../../../examples/testing/${runner}/sealing.test.js`, import.meta.url)
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const options = { encoding: 'utf8', env } as const
    const { status, stdout } = spawnSync(process.execPath, [...args, fileURLToPath(url)], options)
    assert.is(status, 0, stdout)
    assert.match(stdout, /(Passed: +|pass )1/)
  })
}

test.run()
