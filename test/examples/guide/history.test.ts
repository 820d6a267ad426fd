// The guide page about revisions: what its example says.

import { createManager } from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serverController } from '../../../examples/guide/applying.ts'
import { replayed, replicaChanges, writersOf } from '../../../examples/guide/history.ts'
import { until } from '../../support/until.ts'

const test = suite('examples/guide: history')

test('who scaled is told, and a controller runs again on what there was', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  const maps = client.resource(configMaps)
  const created = await maps.create({ metadata: { name: 'web' }, data: { image: 'first' } })
  const stop = new AbortController()
  const run = createManager({ client, controllers: [serverController] }).run(stop.signal)
  const servers = client.resource(deployments)
  await until('servers', () => servers.find('web'))
  await servers.mergePatch('web', { spec: { replicas: 3 } })
  await servers.mergePatch('web', { spec: { replicas: 5 } })
  stop.abort()
  await run
  assert.equal(await replicaChanges(client, 'web'), ['3 -> 5 by client', '1 -> 3 by client'])
  const writers = await writersOf(client, 'web')
  assert.equal(Object.keys(writers).sort(), ['client', 'client/server'])
  await maps.mergePatch('web', { data: { image: 'second' } })
  const text = await replayed(plane, created.metadata.resourceVersion)
  assert.match(text, /^create Deployment default\/web$/m)
  assert.match(text, /first/)
  assert.not.match(text, /second/)
})

test.run()
