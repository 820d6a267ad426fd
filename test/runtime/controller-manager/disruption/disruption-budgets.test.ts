import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { customResourceDefinitions } from '../../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { podDisruptionBudgets } from '../../../../generated/apis/policy/v1.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import { ownedBy } from '../../../../runtime/reconcile/reconcile.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager: disruption (T-08)')

const spec = { containers: [{ name: 'main', image: 'work' }] }
const selector = { matchLabels: { app: 'web' } }
const template = { metadata: { labels: selector.matchLabels }, spec }

for (const name of ['orch', 'kubernetes']) {
  test(`pods are evicted as far as the budget goes: ${name}`, async () => {
    const scheme = await platformScheme(name)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC' },
      controllers: ['disruption-controller', 'replicaset-controller'],
    })
    const { client } = plane
    const all = client.resource(pods).in('default')
    const budgets = client.resource(podDisruptionBudgets).in('default')
    const setSpec = { replicas: 3, selector, template }
    await client
      .resource(replicaSets)
      .in('default')
      .create({ metadata: { name: 'web' }, spec: setSpec })
    await budgets.create({ metadata: { name: 'web' }, spec: { selector, maxUnavailable: '34%' } })
    await clock.advanceAsync(1000)
    assert.is((await budgets.get('web')).status?.conditions?.[0]?.reason, 'InsufficientPods')
    const { items } = await all.listAll()
    const at = new Date(clock.now()).toISOString()
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: at } as const]
    for (const { metadata } of items) {
      const status = { phase: 'Running', conditions } as const
      await all.mergePatch(metadata.name, { status }, { subresource: 'status' })
    }
    await clock.advanceAsync(1000)
    const { status } = await budgets.get('web')
    const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status!
    assert.equal([expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed], [3, 1, 3, 2])
    const evict = (index: number) => {
      const { name: pod } = items[index]!.metadata
      return all.createSubresource(pod, 'eviction', { metadata: { name: pod } })
    }
    await evict(0)
    await evict(1)
    const refused = await evict(2).then(
      () => undefined,
      (error: unknown) => error,
    )
    assert.ok(isStatus(refused, 'TooManyRequests'))
    await clock.advanceAsync(1000)
    const after = (await budgets.get('web')).status
    assert.equal([after?.expectedPods, after?.currentHealthy, after?.disruptionsAllowed], [3, 1, 0])
    assert.is(after?.disruptedPods, undefined)
  })
}

test('the scale of custom resources counts, and a controller without one is told of', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', controllers: ['disruption-controller'] },
  })
  const { client } = plane
  const names = {
    plural: 'websites',
    singular: 'website',
    kind: 'Website',
    listKind: 'WebsiteList',
  }
  const paths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
  const integer = { type: 'object', properties: { replicas: { type: 'integer' } } }
  const openAPIV3Schema = { type: 'object', properties: { spec: integer, status: integer } }
  const version = {
    ...{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } },
    subresources: { status: {}, scale: paths },
  }
  await client.resource(customResourceDefinitions).create({
    metadata: { name: 'websites.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  } as never)
  const websites = await until('the kind is served', async () => {
    const kind = (await client.kinds()).find(({ plural }) => plural === 'websites')
    if (kind === undefined) await clock.advanceAsync(100)
    return kind
  })
  const site = await client
    .resource<never>(websites as never)
    .in('default')
    .create({ metadata: { name: 'shop' }, spec: { replicas: 8 } } as never)
  const all = client.resource(pods).in('default')
  const budgets = client.resource(podDisruptionBudgets).in('default')
  const labels = selector.matchLabels
  await all.create({ metadata: { name: 'a', labels, ownerReferences: [ownedBy(site)] }, spec })
  await budgets.create({ metadata: { name: 'web' }, spec: { selector, minAvailable: '50%' } })
  await clock.advanceAsync(2000)
  const { status } = await budgets.get('web')
  assert.equal([status?.expectedPods, status?.desiredHealthy], [8, 4])

  const pod = await all.get('a')
  const odd = { ...ownedBy(pod), controller: true }
  await all.create({ metadata: { name: 'b', labels, ownerReferences: [odd] }, spec })
  await clock.advanceAsync(2000)
  const failed = (await budgets.get('web')).status
  assert.equal([failed?.disruptionsAllowed, failed?.conditions?.[0]?.reason], [0, 'SyncFailed'])
  assert.is(failed?.conditions?.[0]?.message, 'pods does not implement the scale subresource')
  const told = (await client.resource(events).in('default').listAll()).items
  assert.ok(told.some(({ reason }) => reason === 'CalculateExpectedPodCountFailed'))
  assert.ok(told.every(({ source }) => source?.component === 'controllermanager'))
})

test('a pod that was to be disrupted and stays is said to stay', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', controllers: ['disruption-controller'] },
  })
  const all = plane.client.resource(pods).in('default')
  await all.create({ metadata: { name: 'a' }, spec })
  const lastTransitionTime = new Date(clock.now()).toISOString()
  const told = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'x',
    lastTransitionTime,
  } as const
  await all.mergePatch('a', { status: { conditions: [told] } }, { subresource: 'status' })
  const state = async () =>
    (await all.get('a')).status?.conditions?.find(({ type }) => type === told.type)?.status
  await clock.advanceAsync(110_000)
  assert.is(await state(), 'True')
  await clock.advanceAsync(15_000)
  assert.is(await state(), 'False')
})

test.run()
