// A stateful set against the real server: in order, and whatever happens.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { controllerRevisions } from '../../../../../generated/apis/apps/v1/controller-revision.ts'
import {
  type StatefulSetSpec,
  statefulSets,
} from '../../../../../generated/apis/apps/v1/stateful-set.ts'
import { persistentVolumeClaims } from '../../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, pods } from '../../../../../generated/apis/core/v1/pod.ts'
import type { Client } from '../../../../../runtime/client/client.ts'
import { timestamp } from '../../../../../runtime/kernel/async/clock.ts'
import type { Stored } from '../../../../../runtime/kernel/meta/object.ts'
import {
  explore,
  startControlPlane,
  virtualClock,
  type World,
} from '../../../../../runtime/testing/testing.ts'
import { badDay } from '../../../../support/fault-world.ts'
import { platformScheme } from '../../../../support/platform-scheme.ts'
import { until } from '../../../../support/until.ts'

const test = suite('runtime/controller-manager/workloads: stateful sets (T-03)')

function specOf(image: string, replicas: number): StatefulSetSpec {
  return {
    ...{ replicas, serviceName: 'web', selector: { matchLabels: { app: 'web' } } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image }] },
    },
    volumeClaimTemplates: [
      {
        ...{ kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'data' } },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  }
}

async function makeReady(client: Client, name: string, now: number): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: timestamp(now) }]
  const status = { phase: 'Running', conditions } as const
  await client.resource(pods).in('default').mergePatch(name, { status }, { subresource: 'status' })
}

function isPending({ status }: Pod): boolean {
  return status?.phase === 'Pending'
}

async function podsOf(client: Client): Promise<readonly Stored<Pod>[]> {
  return (await client.resource(pods).in('default').listAll()).items
}

for (const platform of ['orch', 'kubernetes']) {
  test(`pods come in order, each with its name, number and claim: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers: ['statefulset-controller'] },
    })
    const { client } = plane
    const sets = client.resource(statefulSets).in('default')
    const own = client.resource(pods).in('default')
    await sets.create({ metadata: { name: 'web' }, spec: specOf('web:1', 2) })
    const first = await until('the first pod is there', () => own.find('web-0'))
    const suffix = platform === 'orch' ? 'orch.io' : 'kubernetes.io'
    const { labels = {} } = first.metadata
    assert.is(labels[`statefulset.${suffix}/pod-name`], 'web-0')
    assert.is(labels[`apps.${suffix}/pod-index`], '0')
    assert.is(first.spec?.hostname, 'web-0')
    assert.equal(first.spec?.volumes?.[0]?.persistentVolumeClaim, { claimName: 'data-web-0' })
    const set = await until('the status says so', async () => {
      const found = await sets.get('web')
      return found.status?.replicas === 1 && found
    })
    const { updateRevision } = set.status ?? {}
    assert.is(labels['controller-revision-hash'], updateRevision)
    assert.is(set.status?.currentRevision, updateRevision)
    assert.is(await own.find('web-1'), undefined)
    await makeReady(client, 'web-0', clock.now())
    await until('the second pod is there', () => own.find('web-1'))
    await makeReady(client, 'web-1', clock.now())
    const { status } = await until('all are ready', async () => {
      const found = await sets.get('web')
      return found.status?.availableReplicas === 2 && found
    })
    assert.is(status?.readyReplicas, 2)
    assert.is(status?.collisionCount, 0)
    const claims = await client.resource(persistentVolumeClaims).in('default').listAll()
    const names = claims.items.map(({ metadata }) => metadata.name).sort()
    assert.equal(names, ['data-web-0', 'data-web-1'])
    assert.equal(claims.items[0]?.metadata.labels, { app: 'web' })
    const stored = await client.resource(controllerRevisions).in('default').get(updateRevision!)
    assert.is(stored.revision, 1)
  })
}

test('a set that goes counts its pods, and makes no revision in the place of one that went before', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, controllers: ['statefulset-controller'] })
  const { client } = plane
  const sets = client.resource(statefulSets).in('default')
  const revisions = client.resource(controllerRevisions).in('default')
  const spec = { ...specOf('a', 2), podManagementPolicy: 'Parallel' } as const
  await sets.create({ metadata: { name: 'web' }, spec })
  await clock.advanceAsync(1000)
  const before = (await sets.get('web')).status
  assert.is(before?.replicas, 2)
  await sets.delete('web', { propagationPolicy: 'Foreground' })
  for (const { metadata } of (await revisions.listAll()).items)
    await revisions.delete(metadata.name)
  await client.resource(pods).in('default').delete('web-0', { gracePeriodSeconds: 0 })
  await clock.advanceAsync(1000)
  const { status } = await sets.get('web')
  assert.equal([status?.replicas, status?.updateRevision], [1, before?.updateRevision])
  assert.equal((await revisions.listAll()).items, [])
})

test('a pod counts as available after it has been ready for long enough', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, controllers: ['statefulset-controller'] })
  const sets = plane.client.resource(statefulSets).in('default')
  await sets.create({ metadata: { name: 'web' }, spec: { ...specOf('a', 1), minReadySeconds: 30 } })
  await clock.advanceAsync(1000)
  await makeReady(plane.client, 'web-0', clock.now())
  await clock.advanceAsync(29_000)
  const early = (await sets.get('web')).status
  assert.is(early?.readyReplicas, 1)
  assert.is(early?.availableReplicas, 0)
  await clock.advanceAsync(3000)
  assert.is((await sets.get('web')).status?.availableReplicas, 1)
})

/** Runs the pods of a set a little: those that wait begin to serve. */
async function runPods({ plane, clock }: World): Promise<void> {
  for (const pod of await podsOf(plane.client)) {
    if (isPending(pod)) await makeReady(plane.client, pod.metadata.name, clock.now())
  }
}

/** One thing that users and nodes do. */
async function disturb({ plane, random }: World): Promise<void> {
  const { client } = plane
  const sets = client.resource(statefulSets).in('default')
  const all = await podsOf(client)
  const pod = all[Math.floor(random() * all.length)]
  const own = client.resource(pods).in('default')
  const kind = Math.floor(random() * 6)
  if (kind === 0) await sets.mergePatch('web', { spec: { replicas: Math.floor(random() * 5) } })
  if (kind === 1) {
    const containers = [{ name: 'main', image: `web:${Math.floor(random() * 3)}` }]
    await sets.mergePatch('web', { spec: { template: { spec: { containers } } } })
  }
  if (pod === undefined) return
  const { name } = pod.metadata
  if (kind === 2) {
    await own.mergePatch(name, { status: { phase: 'Failed' } }, { subresource: 'status' })
  }
  if (kind === 3) await own.delete(name, { gracePeriodSeconds: 0 })
  if (kind === 4) await own.mergePatch(name, { metadata: { ownerReferences: null } })
  if (kind === 5) await own.mergePatch(name, { metadata: { labels: { app: 'other' } } })
}

test('every history ends with the pods that the set asks for, and then nothing is written', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      const sets = client.resource(statefulSets).in('default')
      const policy = world.random() < 0.5 ? ('Parallel' as const) : ('OrderedReady' as const)
      const spec = { ...specOf('web:0', 3), podManagementPolicy: policy }
      await sets.create({ metadata: { name: 'web' }, spec })
      const controllers = await badDay(world, ['statefulset-controller'])
      for (let step = 0; step < 12; step++) {
        await disturb(world)
        if (world.random() < 0.2) await controllers.restart()
        if (world.random() < 0.7) await runPods(world)
        await world.advance(Math.floor(world.random() * 4000))
      }
      controllers.mend()
      await dropForeign(client)
      await world.until(async () => {
        await runPods(world)
        return isSettled(client)
      })
      await world.advance(60_000)
      const before = await sets.get('web')
      await world.advance(600_000)
      assert.is((await client.resource(pods).listAll()).items.length, before.spec?.replicas)
      const after = await sets.get('web')
      assert.is(after.metadata.resourceVersion, before.metadata.resourceVersion)
      await controllers.stop()
    },
    { seeds: 8 },
  )
})

/** Pods that were let go hold names that the set needs. */
async function dropForeign(client: Client): Promise<void> {
  for (const pod of await podsOf(client)) {
    if (pod.metadata.labels?.app === 'web') continue
    await client.resource(pods).delete(pod, { gracePeriodSeconds: 0 })
  }
}

async function isSettled(client: Client): Promise<boolean> {
  const { spec, status, metadata } = await client.resource(statefulSets).in('default').get('web')
  const all = await podsOf(client)
  const wanted = Array.from({ length: spec?.replicas ?? 0 }, (_, ordinal) => `web-${ordinal}`)
  const names = all.map((pod) => pod.metadata.name).sort()
  const isNew = (pod: Stored<Pod>) =>
    pod.metadata.labels?.['controller-revision-hash'] === status?.updateRevision &&
    pod.spec?.containers[0]?.image === spec?.template.spec?.containers[0]?.image &&
    pod.metadata.ownerReferences?.[0]?.uid === metadata.uid
  return (
    names.join() === wanted.join() &&
    all.every(isNew) &&
    (status?.availableReplicas ?? 0) === spec?.replicas &&
    status?.currentRevision === status?.updateRevision &&
    status?.observedGeneration === metadata.generation
  )
}

test('a rolling update never has more than one pod away, whatever fails', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      const sets = client.resource(statefulSets).in('default')
      await sets.create({ metadata: { name: 'web' }, spec: specOf('web:0', 4) })
      const controllers = await badDay(world, ['statefulset-controller'])
      const settle = () =>
        world.until(async () => {
          await runPods(world)
          return isSettled(client)
        })
      await settle()
      for (const image of ['web:1', 'web:2', 'web:1']) {
        const containers = [{ name: 'main', image }]
        await sets.mergePatch('web', { spec: { template: { spec: { containers } } } })
        await world.until(async () => {
          const serving = (await podsOf(client)).filter(
            (pod) => !isPending(pod) && pod.metadata.deletionTimestamp === undefined,
          )
          assert.ok(serving.length >= 3, `${serving.length} of 4 pods serve`)
          if (world.random() < 0.1) await controllers.restart()
          if (world.random() < 0.5) await runPods(world)
          return isSettled(client)
        })
      }
      await controllers.stop()
    },
    { seeds: 5 },
  )
})

test.run()
