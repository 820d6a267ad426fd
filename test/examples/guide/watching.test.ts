// The examples of the guide about what wakes a controller.
import { createManager } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { namespaces } from 'orch/generated/apis/core/v1/namespace'
import { secrets } from 'orch/generated/apis/core/v1/secret'
import { type ControlPlane, startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  countController,
  keyController,
  typesController,
} from '../../../examples/guide/watching.ts'
import { until } from '../../support/until.ts'

const test = suite<{ plane: ControlPlane; end: () => Promise<void> }>('examples/guide: watching')

test.before.each(async (context) => {
  const plane = await startControlPlane()
  const stop = new AbortController()
  const controllers = [typesController, countController, keyController]
  const running = createManager({ client: plane.client, controllers }).run(stop.signal)
  context.plane = plane
  context.end = async () => {
    stop.abort()
    await running
    await plane.stop()
  }
})

test.after.each(({ end }) => end())

test('a secret wakes the maps that name it', async ({ plane: { client } }) => {
  const maps = client.resource(configMaps)
  await maps.create({ metadata: { name: 'a' }, data: { secret: 's' } })
  await maps.create({ metadata: { name: 'b' } })
  await client.resource(secrets).create({ metadata: { name: 's' }, type: 'shop/key' })
  await until('type', async () => (await maps.get('a')).data?.type === 'shop/key')
  assert.is((await maps.get('b')).data, undefined)
})

test('namespaces are counted', async ({ plane: { client } }) => {
  const maps = client.resource(configMaps)
  await maps.create({ metadata: { name: 'count' } })
  const counted = await until('count', async () => (await maps.get('count')).data?.namespaces)
  await client.resource(namespaces).create({ metadata: { name: 'more' } })
  const wanted = String(Number(counted) + 1)
  await until('one more', async () => (await maps.get('count')).data?.namespaces === wanted)
})

test('a secret that its owner selects is put right', async ({ plane: { client } }) => {
  const maps = client.resource(configMaps)
  await maps.create({ metadata: { name: 'v', labels: { app: 'vault' } } })
  const made = client.resource(secrets)
  const key = Buffer.from('v').toString('base64')
  const isRight = async (): Promise<boolean> => (await made.find('v'))?.data?.key === key
  await until('secret', isRight)
  await made.mergePatch('v', { data: { key: 'eA==' } })
  await until('put right', isRight)
})

test.run()
