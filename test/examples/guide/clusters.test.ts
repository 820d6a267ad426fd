// The example of the guide about several clusters: a hub, a first cluster, and one that comes and goes.
import { createLogger } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { federated } from '../../../examples/guide/clusters.ts'
import { until } from '../../support/until.ts'

const test = suite('examples/guide: clusters')

test('what the hub shares is in every cluster, also in one that comes later', async () => {
  await using hub = await startControlPlane()
  await using first = await startControlPlane()
  await using second = await startControlPlane()
  const log = await createLogger({ level: 'error', write: () => {} })
  const { manager, clusters } = federated(hub.client, first.client, log)
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  const labels = { 'shared.example.com/everywhere': 'yes' }
  const own = hub.client.resource(configMaps)
  await own.create({ metadata: { name: 'x', labels }, data: { text: 'one' } })
  const textIn = async ({ client }: typeof hub) =>
    (await client.resource(configMaps).find('x'))?.data?.text
  await until('first', async () => (await textIn(first)) === 'one')
  const gone = new AbortController()
  clusters.add('second', second.client, gone.signal)
  await until('second', async () => (await textIn(second)) === 'one')
  await own.mergePatch('x', { data: { text: 'two' } })
  await until('second', async () => (await textIn(second)) === 'two')
  await first.client.resource(configMaps).mergePatch('x', { data: { text: 'other' } })
  await until('put right', async () => (await textIn(first)) === 'two')
  await until('said', async () => {
    const { annotations } = (await own.get('x')).metadata
    return annotations?.['shared-with'] === 'first,second'
  })
  gone.abort()
  await until('gone', () => manager.report().clusters?.second === undefined)
  await until('said', async () => {
    const { annotations } = (await own.get('x')).metadata
    return annotations?.['shared-with'] === 'first'
  })
  await own.mergePatch('x', { data: { text: 'three' } })
  await until('first', async () => (await textIn(first)) === 'three')
  assert.is(await textIn(second), 'two')
  stop.abort()
  await running
})

test.run()
