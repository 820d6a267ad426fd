// The examples of the guide about owned objects.
import { createManager } from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { jobs } from 'orch/generated/apis/batch/v1/job'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { type ControlPlane, startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  releaseController,
  serverController,
  sizeController,
} from '../../../examples/guide/applying.ts'
import { until } from '../../support/until.ts'

const test = suite<{ plane: ControlPlane }>('examples/guide: applying')

test.before.each(async (context) => {
  context.plane = await startControlPlane()
})

test.after.each(({ plane }) => plane.stop())

test('a server keeps the scale that another program gave it', async ({ plane: { client } }) => {
  const stop = new AbortController()
  const manager = createManager({ client, controllers: [serverController], namespace: 'default' })
  const running = manager.run(stop.signal)
  await client.resource(configMaps).create({ metadata: { name: 'web' } })
  await until('servers', () => client.resource(deployments).find('web'))
  await client.resource(deployments).mergePatch('web', { spec: { replicas: 4 } })
  await client.resource(configMaps).mergePatch('web', { data: { image: 'nginx:2' } })
  const changed = await until('new image', async () => {
    const web = await client.resource(deployments).get('web')
    return web.spec?.template.spec?.containers[0]?.image === 'nginx:2' ? web : undefined
  })
  assert.is(changed.spec?.replicas, 4)
  stop.abort()
  await running
})

test('servers come after a migration that has succeeded', async ({ plane: { client } }) => {
  const stop = new AbortController()
  const manager = createManager({ client, controllers: [releaseController], namespace: 'default' })
  const running = manager.run(stop.signal)
  const maps = client.resource(configMaps)
  const stateOf = async () => (await maps.get('web')).metadata.annotations?.state
  await maps.create({ metadata: { name: 'web' }, data: { migrate: 'yes' } })
  const job = await until('migration', () => client.resource(jobs).find('web-migration'))
  await until('state', async () => (await stateOf()) === 'migration, servers not ready')
  assert.is(await client.resource(deployments).find('web'), undefined)
  await client.resource(jobs).updateStatus({ ...job, status: { succeeded: 1 } })
  const web = await until('servers', () => client.resource(deployments).find('web'))
  const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1 }
  await client.resource(deployments).updateStatus({ ...web, status })
  await until('ready', async () => (await stateOf()) === 'ready')
  await maps.mergePatch('web', { data: { migrate: 'no' } })
  await until('no migration', async () => {
    const left = await client.resource(jobs).find('web-migration')
    return left === undefined || left.metadata.deletionTimestamp !== undefined
  })
  stop.abort()
  await running
})

test('a server is given the size that its map says', async ({ plane: { client } }) => {
  const stop = new AbortController()
  const controllers = [serverController, sizeController]
  const running = createManager({ client, controllers, namespace: 'default' }).run(stop.signal)
  const metadata = { name: 'web', labels: { size: 'yes' } }
  await client.resource(configMaps).create({ metadata, data: { size: '4' } })
  await until('size', async () => {
    const web = await client.resource(deployments).find('web')
    return web?.spec?.replicas === 4
  })
  stop.abort()
  await running
})

test.run()
