// Under jest: npm install, then NODE_OPTIONS=--experimental-vm-modules npx jest
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createManager, defineController, done } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { secrets } from 'orch/generated/apis/core/v1/secret'
import { objectMatchers, objectSerializer, startControlPlane, virtualClock } from 'orch/testing'

expect.extend(objectMatchers)
expect.addSnapshotSerializer(objectSerializer)

const sealing = defineController({
  name: 'sealing',
  for: configMaps,
  owns: [secrets],
  async reconcile({ metadata, data = {} }, { ensure }) {
    await ensure(secrets, { metadata: { name: metadata.name }, stringData: data })
    return done
  },
})

const settings = { metadata: { name: 'settings' }, data: { colour: 'green' } }

const clock = virtualClock()
let prepared

beforeAll(async () => {
  prepared = await startControlPlane({ clock })
})

afterAll(() => prepared.stop())

test('a ConfigMap that asks for it has a Secret', async () => {
  const plane = await prepared.fork()
  const { client } = plane
  const stop = new AbortController()
  const run = createManager({ client, clock, controllers: [sealing] }).run(stop.signal)
  await client.resource(configMaps).create(settings)
  await clock.advanceAsync(1000)
  const secret = await client.resource(secrets).get('settings')
  expect(secret.data).toEqual({ colour: 'Z3JlZW4=' })
  expect(secret).toBeSameObject({ ...secret, metadata: { ...secret.metadata, uid: 'another' } })
  expect(secret).toMatchSnapshot()
  stop.abort()
  await run
  await plane.stop()
})
