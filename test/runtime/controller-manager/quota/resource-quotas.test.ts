// Quotas against the real server.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { customResourceDefinitions } from '../../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { resourceQuotas } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { services } from '../../../../generated/apis/core/v1/service.ts'
import { platform as ours } from '../../../../generated/platform.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import { explore, startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { badDay } from '../../../support/fault-world.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager: resource quotas (T-16)')

const pod = (name: string) => ({
  metadata: { name },
  spec: {
    containers: [
      { name: 'main', image: 'work', resources: { requests: { cpu: '1', memory: '1Gi' } } },
    ],
  },
})

const widgets = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced' as const,
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', properties: {} } },
      },
    ],
  },
}

for (const platform of ['orch', 'kubernetes']) {
  test(`what goes is given back, and what is charged is not counted: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ authorization: 'RBAC', controllers: ['resourcequota-controller'] },
    })
    const client = createClient(plane.transport, { platform: ours })
    const quotas = client.resource(resourceQuotas).in('default')
    const used = async (name = 'q') => (await quotas.get(name)).status?.used
    const is = (what: string, amounts: Readonly<Record<string, string>>, name?: string) =>
      until(what, async () => {
        const now = await used(name)
        return Object.entries(amounts).every(([resource, amount]) => now?.[resource] === amount)
      })
    const hard = { pods: '3', cpu: '5', memory: '5Gi', configmaps: '2', 'services.nodeports': '5' }
    await quotas.create({ metadata: { name: 'q' }, spec: { hard } })
    await quotas.create({
      metadata: { name: 'effort' },
      spec: { hard: { pods: '3' }, scopes: ['BestEffort'] },
    })
    const mine = { pods: client.resource(pods).in('default') }
    for (const name of ['a', 'b', 'c']) await mine.pods.create(pod(name))
    assert.equal(await used(), {
      ...{ pods: '3', cpu: '3', memory: '3Gi', configmaps: '0', 'services.nodeports': '0' },
    })
    await mine.pods.delete('a', { gracePeriodSeconds: 0 })
    await is('a pod is gone', { pods: '2', cpu: '2', memory: '2Gi' })
    await mine.pods.mergePatch('b', { status: { phase: 'Failed' } }, { subresource: 'status' })
    await is('another one has ended', { pods: '1', cpu: '1', memory: '1Gi' })
    await is('none of them counts', { pods: '0' }, 'effort')
    const own = client.resource(services).in('default')
    const ports = [{ port: 80 }]
    await own.create({ metadata: { name: 's' }, spec: { type: 'NodePort', ports } })
    await is('a port is charged', { 'services.nodeports': '1' })
    await own.mergePatch('s', { spec: { type: 'ClusterIP' } })
    await is('it is given back', { 'services.nodeports': '0' })
    const maps = client.resource(configMaps).in('default')
    await maps.create({ metadata: { name: 'm' } })
    await is('a map is charged', { configmaps: '1' })
    await maps.delete('m')
    await is('a map is gone', { configmaps: '0' })
    await quotas.mergePatch('q', { spec: { hard: { pods: '0', cpu: null } } })
    await until('the limit is below what is in use', async () => {
      const { status } = await quotas.get('q')
      return status?.hard?.pods === '0' && status.used?.pods === '1' && !status.used.cpu
    })
    assert.equal((await client.resource(events).in('default').listAll()).items, [])
  })
}

test('objects of kinds that are defined later count, and a full count comes in its period', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', controllers: ['resourcequota-controller'] },
  })
  const { client } = plane
  const quotas = client.resource(resourceQuotas).in('default')
  const name = 'count/widgets.example.com'
  await quotas.create({
    metadata: { name: 'q' },
    spec: { hard: { [name]: '2', 'count/nothings.example.com': '1' } },
  })
  await clock.advanceAsync(1000)
  assert.is((await quotas.get('q')).status?.used, undefined)
  await client.resource(customResourceDefinitions).create(widgets)
  await clock.advanceAsync(61_000)
  const kinds = await client.kinds()
  const widget = kinds.find(({ plural }) => plural === 'widgets')
  assert.ok(widget)
  const own = client.resource(widget).in('default')
  for (const each of ['a', 'b']) await own.create({ metadata: { name: each } } as never)
  assert.equal((await quotas.get('q')).status?.used, { [name]: '2' })
  await own.delete('a')
  await clock.advanceAsync(3000)
  assert.equal((await quotas.get('q')).status?.used, { [name]: '1' })
  const wrong = { status: { used: { [name]: '2' } } }
  await quotas.mergePatch('q', wrong, { subresource: 'status' })
  await clock.advanceAsync(1000)
  assert.equal((await quotas.get('q')).status?.used, { [name]: '2' })
  await clock.advanceAsync(5 * 60_000)
  assert.equal((await quotas.get('q')).status?.used, { [name]: '1' })
})

test('every history ends with what is there, and never more is let in than a quota allows', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      const maps = client.resource(configMaps).in('default')
      const quotas = client.resource(resourceQuotas).in('default')
      const stored = async () =>
        (await maps.listAll()).items.filter(({ metadata }) => metadata.name.startsWith('m')).length
      const others = (await maps.listAll()).items.length
      await quotas.create({
        metadata: { name: 'q' },
        spec: { hard: { configmaps: String(others + 4) } },
      })
      const controllers = await badDay(world, ['resourcequota-controller'])
      for (let step = 0; step < 12; step++) {
        const name = `m${Math.floor(world.random() * 8)}`
        const create = world.random() < 0.6
        const work = create ? maps.create({ metadata: { name } }) : maps.delete(name)
        await work.catch(() => {})
        if (world.random() < 0.2) await controllers.restart()
        await world.advance(Math.floor(world.random() * 1500))
        assert.ok((await stored()) <= 4, 'too many are let in')
      }
      controllers.mend()
      await world.until(async () => {
        const { status } = await quotas.get('q')
        return status?.used?.configmaps === String(others + (await stored()))
      })
      await controllers.stop()
    },
    { seeds: 8 },
  )
})

test.run()
