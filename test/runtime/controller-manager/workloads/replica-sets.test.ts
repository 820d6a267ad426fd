import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { replicationControllers } from '../../../../generated/apis/core/v1/replication-controller.ts'
import { resourceQuotas } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { clusterRoles } from '../../../../generated/apis/rbac/v1.ts'
import {
  decideReplicas,
  decideStatus,
} from '../../../../runtime/controller-manager/workloads/replica-set/decide-replicas.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import {
  type ControlPlane,
  startControlPlane,
  virtualClock,
} from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'

const test = suite('runtime/controller-manager: replica sets (T-02)')

const at = '2030-01-01T00:00:00Z'
const now = Date.parse(at)
const labels = { app: 'web' }
const spec = { containers: [{ name: 'main', image: 'work' }] }
const template = { metadata: { labels }, spec }
const selector = { matchLabels: labels }
const platform = { domain: 'orch.io' }

function replicaSet(replicas: number, more: object = {}) {
  const metadata = { name: 'web', uid: 'u', generation: 1 }
  return { kind: 'ReplicaSet', metadata, spec: { replicas, selector, template }, ...more } as never
}

function podsOf(count: number, isReady: (index: number) => boolean = () => true) {
  return Array.from({ length: count }, (_, index) => ({
    metadata: { uid: `p${index}`, name: `p${index}`, labels, creationTimestamp: at },
    spec: { nodeName: 'n' },
    status: {
      phase: 'Running',
      conditions: isReady(index) ? [{ type: 'Ready', status: 'True', lastTransitionTime: at }] : [],
    },
  })) as never as readonly Stored<Pod>[]
}

const numbers: readonly (readonly [
  name: string,
  has: number,
  wants: number,
  made: number,
  gone: number,
])[] = [
  ['as many as there should be are kept', 3, 3, 0, 0],
  ['those that are missing are created', 1, 3, 2, 0],
  ['but no more than 500 at a time', 0, 900, 500, 0],
  ['those that are too many are deleted', 5, 2, 0, 3],
  ['but no more than 500 at a time', 700, 0, 0, 500],
]

for (const [name, has, wants, made, gone] of numbers) {
  test(`${name}: ${has} of ${wants}`, () => {
    const observed = { pods: podsOf(has), related: () => [], platform }
    const plan = decideReplicas(replicaSet(wants), observed, now)
    assert.equal([plan.create, plan.delete.length], [made, gone])
  })
}

test('those that are not ready go first, and none is made for a set that goes', () => {
  const observed = { pods: podsOf(3, (index) => index !== 1), related: () => [], platform }
  const [first] = decideReplicas(replicaSet(2), observed, now).delete
  assert.is(first?.metadata.name, 'p1')
  const going = replicaSet(9, { metadata: { deletionTimestamp: at } })
  assert.equal(decideReplicas(going, observed, now), { create: 0, delete: [] })
})

test('a status counts pods, and is the same one where nothing has changed', () => {
  const own = podsOf(3, (index) => index > 0)
  const status = decideStatus(replicaSet(3), own, undefined, now + 1)
  const counts = { replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 2, availableReplicas: 2 }
  assert.equal(status, { ...counts, observedGeneration: 1 })
  const again = decideStatus(replicaSet(3, { status }), own, undefined, now + 9)
  assert.is(again, status)
  const slow = { spec: { replicas: 3, selector, template, minReadySeconds: 5 } }
  assert.is(decideStatus(replicaSet(3, slow), own, undefined, now + 1).availableReplicas, 0)
})

test('a failure is told once, and until nothing fails', () => {
  const failure = { reason: 'FailedCreate', message: 'quota' } as const
  const first = decideStatus(replicaSet(3), podsOf(1), failure, now)
  assert.equal(first.conditions, [
    { type: 'ReplicaFailure', status: 'True', ...failure, lastTransitionTime: at },
  ])
  const second = decideStatus(
    replicaSet(3, { status: first }),
    ...([podsOf(1), { ...failure, message: 'other' }, now + 5000] as const),
  )
  assert.is(second, first)
  assert.is(
    decideStatus(replicaSet(3, { status: first }), podsOf(1), undefined, now).conditions,
    undefined,
  )
})

async function markReady(
  { client, clock }: Plane,
  which = selector.matchLabels.app,
): Promise<void> {
  const all = client.resource(pods).in('default')
  const lastTransitionTime = new Date(clock.now()).toISOString()
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime } as const]
  for await (const { metadata } of all.list({ labelSelector: `app=${which}` }))
    await all.mergePatch(metadata.name, { status: { conditions } }, { subresource: 'status' })
}

type Plane = Pick<ControlPlane, 'client'> & { readonly clock: ReturnType<typeof virtualClock> }

for (const name of ['orch', 'kubernetes']) {
  test(`pods are made, adopted, released, counted and deleted: ${name}`, async () => {
    const scheme = await platformScheme(name)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers: ['replicaset-controller'] },
    })
    const { client } = plane
    const sets = client.resource(replicaSets).in('default')
    const all = client.resource(pods).in('default')
    const owned = async (uid: string) =>
      (await all.listAll()).items.filter(
        ({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid,
      )
    await all.create({ metadata: { name: 'orphan', labels }, spec })
    const { metadata } = await sets.create({
      metadata: { name: 'web' },
      spec: { replicas: 3, minReadySeconds: 10, selector, template },
    })
    await clock.advanceAsync(1000)
    const first = await owned(metadata.uid)
    assert.is(first.length, 3)
    assert.ok(first.some((pod) => pod.metadata.name === 'orphan'))
    assert.ok(first.some((pod) => /^web-[a-z0-9]{5}$/.test(pod.metadata.name)))
    assert.equal(first[0]?.metadata.ownerReferences, [
      {
        ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: metadata.uid },
        ...{ controller: true, blockOwnerDeletion: true },
      },
    ])
    await markReady({ client, clock })
    await clock.advanceAsync(5000)
    const { status } = await sets.get('web')
    assert.equal([status?.readyReplicas, status?.availableReplicas ?? 0], [3, 0])
    await clock.advanceAsync(7000)
    assert.is((await sets.get('web')).status?.availableReplicas, 3)

    await all.mergePatch('orphan', { metadata: { labels: { app: 'other' } } })
    await clock.advanceAsync(1000)
    assert.is((await all.get('orphan')).metadata.ownerReferences, undefined)
    assert.is((await owned(metadata.uid)).length, 3)

    await sets.mergePatch('web', { spec: { replicas: 1 } })
    await clock.advanceAsync(1000)
    const [left, ...others] = await owned(metadata.uid)
    assert.equal(others, [])
    assert.is(left?.status?.conditions?.[0]?.type, 'Ready')
    assert.is((await sets.get('web')).status?.observedGeneration, 2)
    const told = (await client.resource(events).in('default').listAll()).items
    assert.equal(
      new Set(told.map(({ reason, source }) => `${reason} ${source?.component}`)),
      new Set(['SuccessfulCreate replicaset-controller', 'SuccessfulDelete replicaset-controller']),
    )
  })
}

test('pods that may not be deleted are told of, until they may', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', controllers: ['replicaset-controller'] },
  })
  const { client } = plane
  const sets = client.resource(replicaSets).in('default')
  await sets.create({ metadata: { name: 'web' }, spec: { replicas: 2, selector, template } })
  await clock.advanceAsync(1000)
  const roles = client.resource(clusterRoles)
  const role = await roles.get('system:controller:replicaset-controller')
  const rules = role.rules?.map((rule) => ({
    ...rule,
    verbs: rule.verbs.filter((verb) => verb !== 'delete'),
  }))
  await roles.mergePatch(role.metadata.name, { rules } as never)
  await sets.mergePatch('web', { spec: { replicas: 1 } })
  await clock.advanceAsync(2000)
  const { status } = await sets.get('web')
  assert.is(status?.replicas, 2)
  const [failure] = status?.conditions ?? []
  assert.equal([failure?.type, failure?.reason], ['ReplicaFailure', 'FailedDelete'])
  assert.match(failure?.message ?? '', /^unable to delete pods: pods "web-\w{5}" is forbidden/)
  const { items: told } = await client.resource(events).in('default').listAll()
  const refused = told.find(({ reason }) => reason === 'FailedDelete')
  assert.match(refused?.message ?? '', /^Error deleting: pods "web-/)
  await roles.mergePatch(role.metadata.name, { rules: role.rules } as never)
  await clock.advanceAsync(60_000)
  const after = (await sets.get('web')).status
  assert.equal([after?.replicas, after?.conditions], [1, undefined])
})

test('a replication controller does the same, within its quota', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', controllers: ['replicationcontroller-controller'] },
  })
  const { client } = plane
  const quotas = client.resource(resourceQuotas).in('default')
  await quotas.create({ metadata: { name: 'few' }, spec: { hard: { pods: '2' } } })
  const status = { hard: { pods: '2' }, used: { pods: '0' } }
  await quotas.mergePatch('few', { status }, { subresource: 'status' })
  const all = client.resource(replicationControllers).in('default')
  await all.create({ metadata: { name: 'rc' }, spec: { replicas: 4, template } })
  await clock.advanceAsync(2000)
  const found = (await all.get('rc')).status
  assert.is(found?.replicas, 2)
  const [failure] = found?.conditions ?? []
  assert.equal([failure?.type, failure?.reason], ['ReplicaFailure', 'FailedCreate'])
  assert.match(failure?.message ?? '', /exceeded quota: few/)
  const told = await client.resource(events).in('default').listAll()
  assert.ok(told.items.some(({ reason }) => reason === 'FailedCreate'))
  assert.ok(told.items.every(({ source }) => source?.component === 'replication-controller'))
  const before = told.items.length
  await clock.advanceAsync(600_000)
  const after = (await client.resource(events).in('default').listAll()).items.length
  assert.ok(after - before < 20, `${after - before} attempts in ten minutes`)
  await all.mergePatch('rc', { spec: { replicas: 2 } })
  await clock.advanceAsync(1000)
  assert.is((await all.get('rc')).status?.conditions, undefined)
})

test.run()
