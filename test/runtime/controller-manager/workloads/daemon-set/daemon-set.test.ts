// A daemon set against the real server: on every node, and whatever happens.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { controllerRevisions } from '../../../../../generated/apis/apps/v1/controller-revision.ts'
import { type DaemonSetSpec, daemonSets } from '../../../../../generated/apis/apps/v1/daemon-set.ts'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../../../generated/apis/core/v1/pod.ts'
import type { Client } from '../../../../../runtime/client/client.ts'
import { nodeOf } from '../../../../../runtime/controller-manager/workloads/daemon-set/daemon-pod.ts'
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

const test = suite('runtime/controller-manager/workloads: daemon sets (T-04)')

function specOf(image: string): DaemonSetSpec {
  return {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'main', image }] },
    },
  }
}

async function podsOf(client: Client): Promise<readonly Stored<Pod>[]> {
  return (await client.resource(pods).in('default').listAll()).items
}

/** A node that takes pods: a new one is closed until its agent says that it is ready. */
async function addNode(client: Client, name: string): Promise<void> {
  await client.resource(nodes).create({ metadata: { name } })
  await client.resource(nodes).mergePatch(name, { spec: { taints: null } })
}

async function runPods(client: Client, now: number): Promise<void> {
  const conditions = [
    { type: 'Ready', status: 'True', lastTransitionTime: timestamp(now) },
  ] as const
  for (const pod of await podsOf(client)) {
    if (pod.status?.phase !== 'Pending') continue
    const status = { phase: 'Running', conditions } as const
    const { name } = pod.metadata
    const own = client.resource(pods).in('default')
    await own.mergePatch(name, { status }, { subresource: 'status' })
  }
}

for (const platform of ['orch', 'kubernetes']) {
  test(`each node has a pod that is meant for it: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers: ['daemonset-controller'] },
    })
    const { client } = plane
    const sets = client.resource(daemonSets).in('default')
    for (const name of ['a', 'b']) await addNode(client, name)
    await sets.create({ metadata: { name: 'agent' }, spec: specOf('agent:1') })
    const statusOf = (what: string, count: 'numberAvailable' | 'currentNumberScheduled') =>
      until(what, async () => {
        const { status } = await sets.get('agent')
        return status?.[count] === 2 && status
      })
    await statusOf('both nodes have one', 'currentNumberScheduled')
    const all = await podsOf(client)
    assert.equal(all.map(nodeOf).sort(), ['a', 'b'])
    const [pod] = all
    const suffix = platform === 'orch' ? 'orch.io' : 'kubernetes.io'
    const keys = pod?.spec?.tolerations?.map(({ key }) => key)
    assert.ok(keys?.includes(`node.${suffix}/unschedulable`), `${keys}`)
    const { labels = {} } = pod!.metadata
    assert.is(labels['pod-template-generation'], '1')
    const hash = labels['controller-revision-hash']
    const revision = await client.resource(controllerRevisions).in('default').get(`agent-${hash}`)
    assert.is(revision.metadata.labels?.['controller-revision-hash'], hash)
    await runPods(client, clock.now())
    const status = await statusOf('both are available', 'numberAvailable')
    assert.is(status.updatedNumberScheduled, 2)
    assert.is(status.numberUnavailable ?? 0, 0)
  })
}

/** One thing that users and nodes do. */
async function disturb({ plane, random }: World): Promise<void> {
  const { client } = plane
  const all = await podsOf(client)
  const pod = all[Math.floor(random() * all.length)]
  const node = ['a', 'b', 'c'][Math.floor(random() * 3)]!
  const own = client.resource(pods).in('default')
  const kind = Math.floor(random() * 7)
  if (kind === 0) {
    const containers = [{ name: 'main', image: `agent:${Math.floor(random() * 3)}` }]
    const spec = { template: { spec: { containers } } }
    await client.resource(daemonSets).in('default').mergePatch('agent', { spec })
  }
  if (kind === 1) {
    const effect = random() < 0.5 ? 'NoSchedule' : 'NoExecute'
    const taints = [{ key: 'bad', effect }] as const
    await client.resource(nodes).mergePatch(node, { spec: { taints } })
  }
  if (kind === 2) await client.resource(nodes).mergePatch(node, { spec: { taints: null } })
  if (pod === undefined) return
  const { name } = pod.metadata
  if (kind === 3) {
    await own.mergePatch(name, { status: { phase: 'Failed' } }, { subresource: 'status' })
  }
  if (kind === 4) await own.delete(name, { gracePeriodSeconds: 0 })
  if (kind === 5) await own.mergePatch(name, { metadata: { ownerReferences: null } })
  if (kind === 6) await own.mergePatch(name, { metadata: { labels: { app: 'other' } } })
}

async function isSettled(client: Client): Promise<boolean> {
  const set = await client.resource(daemonSets).in('default').get('agent')
  const { uid, generation } = set.metadata
  const own = (await podsOf(client)).filter(
    ({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid,
  )
  const image = set.spec?.template.spec?.containers[0]?.image
  return (
    own.map(nodeOf).sort().join() === 'a,b,c' &&
    own.every(({ spec }) => spec?.containers[0]?.image === image) &&
    set.status?.numberAvailable === 3 &&
    set.status.updatedNumberScheduled === 3 &&
    set.status.observedGeneration === generation
  )
}

for (const rollingUpdate of [{ maxUnavailable: 1 }, { maxSurge: 1, maxUnavailable: 0 }]) {
  const how = JSON.stringify(rollingUpdate)
  test(`every history ends with a pod of the newest template on each node: ${how}`, async () => {
    await explore(
      async (world) => {
        const { client } = world.plane
        for (const name of ['a', 'b', 'c']) await addNode(client, name)
        const sets = client.resource(daemonSets).in('default')
        const spec = { ...specOf('agent:0'), updateStrategy: { rollingUpdate } }
        await sets.create({ metadata: { name: 'agent' }, spec })
        const controllers = await badDay(world, ['daemonset-controller'])
        for (let step = 0; step < 10; step++) {
          await disturb(world)
          if (world.random() < 0.2) await controllers.restart()
          if (world.random() < 0.7) await runPods(client, world.clock.now())
          await world.advance(Math.floor(world.random() * 4000))
        }
        controllers.mend()
        for (const name of ['a', 'b', 'c']) {
          await client.resource(nodes).mergePatch(name, { spec: { taints: null } })
        }
        await world.until(async () => {
          await runPods(client, world.clock.now())
          return isSettled(client)
        })
        await world.advance(60_000)
        const before = await sets.get('agent')
        const names = (await podsOf(client)).map(({ metadata }) => metadata.name).join()
        await world.advance(600_000)
        const after = await sets.get('agent')
        assert.is(after.metadata.resourceVersion, before.metadata.resourceVersion)
        assert.is((await podsOf(client)).map(({ metadata }) => metadata.name).join(), names)
        await controllers.stop()
      },
      { seeds: 5 },
    )
  })
}

test('a rolling update never has more pods away than it may, whatever fails', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      for (const name of ['a', 'b', 'c']) await addNode(client, name)
      const sets = client.resource(daemonSets).in('default')
      await sets.create({ metadata: { name: 'agent' }, spec: specOf('agent:0') })
      const controllers = await badDay(world, ['daemonset-controller'])
      await world.until(async () => {
        await runPods(client, world.clock.now())
        return isSettled(client)
      })
      for (const image of ['agent:1', 'agent:2']) {
        const containers = [{ name: 'main', image }]
        await sets.mergePatch('agent', { spec: { template: { spec: { containers } } } })
        await world.until(async () => {
          const serving = (await podsOf(client)).filter(({ status }) => status?.phase === 'Running')
          assert.ok(serving.length >= 2, `${serving.length} of 3 pods serve`)
          if (world.random() < 0.1) await controllers.restart()
          if (world.random() < 0.5) await runPods(client, world.clock.now())
          return isSettled(client)
        })
      }
      await controllers.stop()
    },
    { seeds: 4 },
  )
})

test.run()
