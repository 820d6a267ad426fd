// Under uvu: uvu examples/testing/uvu
import { createManager } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { secrets } from 'orch/generated/apis/core/v1/secret'
import { assertSameObject, type ControlPlane, startControlPlane, virtualClock } from 'orch/testing'
import { suite } from 'uvu'
import { sealing, settings } from '../../guide/testing.ts'

const test = suite('sealing')

const clock = virtualClock()
let prepared: ControlPlane

test.before(async () => {
  prepared = await startControlPlane({ clock })
})

test.after(() => prepared.stop())

test('a ConfigMap that asks for it has a Secret', async () => {
  await using plane = await prepared.fork()
  const { client } = plane
  const stop = new AbortController()
  const run = createManager({ client, clock, controllers: [sealing] }).run(stop.signal)
  await client.resource(configMaps).create(settings)
  await clock.advanceAsync(1000)
  const secret = await client.resource(secrets).get('settings')
  assertSameObject(secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...secret.metadata, name: 'settings' },
    data: { colour: 'Z3JlZW4=' },
    type: 'Opaque',
  })
  stop.abort()
  await run
})

test.run()
