// The examples of the guide about fields that controllers declare.
import { accessRules } from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { servingManager, sizeController } from '../../../examples/guide/fields.ts'
import { until } from '../../support/until.ts'

const test = suite('examples/guide: fields')

test('two controllers write one object, each the fields that it declares', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  const stop = new AbortController()
  const running = servingManager(client).run(stop.signal)
  const maps = client.resource(configMaps).in('default')
  const annotations = { 'example.com/size': '3' }
  await maps.create({ metadata: { name: 'web', annotations }, data: { image: 'nginx:1' } })
  const made = client.resource(deployments).in('default')
  await until('three', async () => (await made.find('web'))?.spec?.replicas === 3)
  await maps.mergePatch('web', { data: { image: 'nginx:2' } })
  const { spec } = await until('image', async () => {
    const web = await made.get('web')
    return web.spec?.template.spec?.containers[0]?.image === 'nginx:2' ? web : undefined
  })
  assert.is(spec?.replicas, 3)
  stop.abort()
  await running
})

test('who declares fields may patch, and neither create nor delete', () => {
  const rule = accessRules([sizeController]).everywhere.find(
    ({ apiGroups }) => apiGroups[0] === 'apps',
  )
  assert.equal(rule?.verbs, ['get', 'list', 'patch', 'watch'])
})

test.run()
