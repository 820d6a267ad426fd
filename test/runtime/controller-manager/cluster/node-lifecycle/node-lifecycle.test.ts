// Nodes whose agents fall silent, and what becomes of their pods, on a server with simulated nodes.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../../../generated/apis/coordination/v1.ts'
import { events } from '../../../../../generated/apis/core/v1/event.ts'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../../../generated/apis/core/v1/pod.ts'
import type { Toleration } from '../../../../../generated/apis/core/v1/scheduling.ts'
import { platform as own } from '../../../../../generated/platform.ts'
import { type Client, createClient } from '../../../../../runtime/client/client.ts'
import {
  type ControlPlane,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '../../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../../support/platform-scheme.ts'

const test = suite('runtime/controller-manager/cluster/node-lifecycle')

const start = Date.parse('2030-01-01T00:00:00Z')

/** Lets virtual time pass until `look` gives something. */
async function passing<T>(
  clock: VirtualClock,
  what: string,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  for (let tried = 0; tried < 400; tried++) {
    const found = await look().catch(() => undefined)
    if (found !== undefined && found !== false) return found
    await clock.advanceAsync(1000)
  }
  throw new Error(`not in 400 s of the virtual clock: ${what}`)
}

const taintsOf = async (client: Client, name: string) =>
  ((await client.resource(nodes).get(name)).spec?.taints ?? [])
    .map(({ key, effect }) => `${key.replace(/.*\//, '')}:${effect}`)
    .sort()
    .join(' ')

const readinessOf = async (client: Client, name: string) =>
  (await client.resource(nodes).get(name)).status?.conditions?.find(({ type }) => type === 'Ready')

async function makePod(client: Client, name: string, nodeName: string, tolerations: Toleration[]) {
  await client
    .resource(pods)
    .in('default')
    .create({
      metadata: { name },
      spec: { nodeName, tolerations, containers: [{ name: 'main', image: 'web:1' }] },
    })
}

const podOf = (client: Client, name: string) => client.resource(pods).in('default').find(name)

async function toldOf(client: Client, kind: string): Promise<readonly string[]> {
  const { items } = await client.resource(events).listAll()
  return items
    .filter(({ involvedObject }) => involvedObject.kind === kind)
    .map((one) => {
      const { involvedObject, type, reason, message, source } = one
      return `${involvedObject.name} ${type} ${reason} ${message} (${source?.component})`
    })
    .sort()
}

const controllers = ['node-lifecycle-controller', 'taint-eviction-controller'] as const

for (const name of ['orch', 'kubernetes']) {
  test(`a node falls silent, its pods leave it after their toleration, and it comes back (T-10): ${name}`, async () => {
    const scheme = await platformScheme(name)
    const clock = virtualClock(start)
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', simulatedNodes: 3, controllers },
    })
    const client = createClient(plane.transport, { platform: own })
    const { domain, agent } = plane.scheme.platform
    const agentName = `${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`
    await passing(clock, 'open to pods', async () => (await taintsOf(client, 'node-1')) === '')
    const tolerate = (tolerationSeconds?: number): Toleration => ({
      ...{ key: `node.${domain}/unreachable`, operator: 'Exists', effect: 'NoExecute' },
      ...(tolerationSeconds !== undefined && { tolerationSeconds }),
    })
    await makePod(client, 'short', 'node-1', [tolerate(20)])
    await makePod(client, 'long', 'node-1', [tolerate(3600)])
    await makePod(client, 'always', 'node-1', [tolerate()])
    await makePod(client, 'elsewhere', 'node-2', [])
    const isReady = async (pod: string) => {
      const { status } = (await podOf(client, pod)) ?? {}
      return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
    }
    for (const pod of ['short', 'long', 'always', 'elsewhere']) {
      await passing(clock, `${pod} is ready`, () => isReady(pod))
    }
    plane.nodes?.stop('node-1')
    const ready = await passing(clock, 'silence', async () => {
      const found = await readinessOf(client, 'node-1')
      return found?.status === 'Unknown' && found
    })
    assert.is(ready.reason, 'NodeStatusUnknown')
    assert.is(ready.message, `${agentName} stopped posting node status.`)
    assert.ok(clock.now() - start > 40_000, 'it had its grace')
    await passing(clock, 'taints', async () => {
      return (await taintsOf(client, 'node-1')) === 'unreachable:NoExecute unreachable:NoSchedule'
    })
    const gone = await passing(clock, 'eviction', async () => {
      const pod = await podOf(client, 'short')
      return pod?.metadata.deletionTimestamp !== undefined && pod
    })
    const target = gone.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
    assert.equal(
      [target?.status, target?.reason, target?.message],
      ['True', 'DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint'],
    )
    for (const pod of ['long', 'always']) {
      assert.is((await podOf(client, pod))?.metadata.deletionTimestamp, undefined)
      assert.is(await isReady(pod), false, `${pod} is not ready`)
    }
    assert.is(await isReady('elsewhere'), true)
    plane.nodes?.start('node-1')
    await passing(clock, 'no taints', async () => (await taintsOf(client, 'node-1')) === '')
    await passing(clock, 'pods are ready again', () => isReady('always'))
    await client.resource(nodes).delete('node-2')
    const removing =
      'node-2 Normal RemovingNode Node node-2 event: Removing Node node-2 from Controller (node-controller)'
    await passing(clock, 'told', async () => (await toldOf(client, 'Node')).includes(removing))
    const registered = (node: string) =>
      `${node} Normal RegisteredNode Node ${node} event: Registered Node ${node} in Controller (node-controller)`
    assert.equal(await toldOf(client, 'Node'), [
      registered('node-0'),
      'node-1 Normal NodeNotReady Node node-1 status is now: NodeNotReady (node-controller)',
      registered('node-1'),
      registered('node-2'),
      removing,
    ])
    const evicted = (pod: string, what: string) =>
      `${pod} Normal TaintManagerEviction ${what} Pod default/${pod} (taint-eviction-controller)`
    const marked = (pod: string) =>
      `${pod} Warning NodeNotReady Node is not ready (node-controller)`
    assert.equal(await toldOf(client, 'Pod'), [
      ...[marked('always'), evicted('long', 'Cancelling deletion of'), marked('long')],
      ...[evicted('short', 'Marking for deletion'), marked('short')],
    ])
  })
}

test('labels, taints of conditions and of cordons follow the node at once, without a lease (T-10, I-12)', async () => {
  const clock = virtualClock(start)
  await using plane = await startControlPlane({ clock, authorization: 'RBAC', controllers })
  const { client } = plane
  const all = client.resource(nodes)
  const condition = (type: string, status: string) => ({
    ...{ type, status, reason: 'x', message: 'y' },
    ...{ lastHeartbeatTime: new Date(clock.now()).toISOString() },
  })
  const labels = { 'orch.io/os': 'linux', 'orch.io/arch': 'arm64' }
  await all.create({
    metadata: { name: 'a', labels },
    status: { conditions: [condition('Ready', 'True')] },
  } as never)
  await passing(clock, 'marks', async () => (await taintsOf(client, 'a')) === '')
  const { metadata } = await all.get('a')
  assert.is(metadata.labels?.['beta.orch.io/os'], 'linux')
  assert.is(metadata.labels?.['beta.orch.io/arch'], 'arm64')
  await all.mergePatch('a', { spec: { unschedulable: true } })
  const conditions = [condition('Ready', 'True'), condition('DiskPressure', 'True')]
  await all.mergePatch('a', { status: { conditions } } as never, { subresource: 'status' })
  await passing(clock, 'both', async () => {
    return (await taintsOf(client, 'a')) === 'disk-pressure:NoSchedule unschedulable:NoSchedule'
  })
  assert.is(await client.resource(leases).in('orch-node-lease').find('a'), undefined)
  await passing(
    clock,
    'silence',
    async () => (await readinessOf(client, 'a'))?.status === 'Unknown',
  )
  await passing(clock, 'unreachable', async () => {
    return (await taintsOf(client, 'a')) === 'unreachable:NoSchedule unschedulable:NoSchedule'
  })
})

test('what others write of a node meanwhile is no reason to mark it again, other taints are (T-10)', async () => {
  const clock = virtualClock(start)
  let tries = 0
  let meanwhile: (() => Promise<unknown>) | undefined
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', controllers },
    use: [
      async (context, next) => {
        const isMark = context.method === 'PATCH' && context.path.endsWith('/nodes/a')
        if (!isMark || !context.get('user-agent').includes('controller-manager')) return next()
        const before = meanwhile
        meanwhile = undefined
        tries += 1
        await before?.()
        return next()
      },
    ],
  })
  const all = plane.client.resource(nodes)
  const time = new Date(clock.now()).toISOString()
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'x',
    message: 'y',
    lastHeartbeatTime: time,
  }
  const annotations = { 'example.com/other': 'writer' }
  meanwhile = () => all.mergePatch('a', { metadata: { annotations } })
  await all.create({ metadata: { name: 'a' }, status: { conditions: [ready] } } as never)
  await passing(clock, 'marks', async () => (await taintsOf(plane.client, 'a')) === '')
  assert.is(tries, 1)
  const dedicated = { key: 'example.com/dedicated', effect: 'NoSchedule' as const }
  const other = { key: 'example.com/other', effect: 'NoSchedule' as const }
  await all.mergePatch('a', { spec: { taints: [dedicated] } })
  await passing(clock, 'seen', async () => (await taintsOf(plane.client, 'a')) !== '')
  meanwhile = () => all.mergePatch('a', { spec: { taints: [dedicated, other] } })
  await all.mergePatch('a', { spec: { unschedulable: true } })
  await passing(clock, 'all three', async () => {
    const taints = await taintsOf(plane.client, 'a')
    return taints === 'dedicated:NoSchedule other:NoSchedule unschedulable:NoSchedule'
  })
  assert.is(tries, 3)
})

test('where all nodes are silent, none loses its pods (T-10)', async () => {
  const clock = virtualClock(start)
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', simulatedNodes: 2, controllers },
  })
  await settledNodes(plane, clock)
  for (const node of ['node-0', 'node-1']) plane.nodes?.stop(node)
  for (const node of ['node-0', 'node-1']) {
    await passing(clock, 'silence', async () => {
      return (await taintsOf(plane.client, node)) === 'unreachable:NoSchedule'
    })
  }
  await clock.advanceAsync(60_000)
  for (const node of ['node-0', 'node-1']) {
    assert.is(await taintsOf(plane.client, node), 'unreachable:NoSchedule')
  }
  plane.nodes?.start('node-0')
  await passing(clock, 'one is back', async () => (await taintsOf(plane.client, 'node-0')) === '')
  await passing(clock, 'the other one is lost', async () => {
    return (
      (await taintsOf(plane.client, 'node-1')) === 'unreachable:NoExecute unreachable:NoSchedule'
    )
  })
})

test('a pod goes at once from a node whose taint it does not tolerate, and may stay where the taint goes in time (T-10)', async () => {
  const clock = virtualClock(start)
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', simulatedNodes: 2, controllers },
  })
  const { client } = plane
  await settledNodes(plane, clock)
  const tolerate = {
    key: 'work',
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 30,
  } as const
  await makePod(client, 'none', 'node-0', [])
  await makePod(client, 'some', 'node-0', [tolerate])
  await clock.advanceAsync(1000)
  const all = client.resource(nodes)
  const taints = [{ key: 'work', effect: 'NoExecute' as const }]
  await all.mergePatch('node-0', { spec: { taints } })
  await passing(clock, 'gone', async () => (await podOf(client, 'none')) === undefined)
  await makePod(client, 'later', 'node-0', [])
  await passing(clock, 'gone, too', async () => (await podOf(client, 'later')) === undefined)
  await clock.advanceAsync(10_000)
  await all.mergePatch('node-0', { spec: { taints: null } })
  const cancelled =
    'some Normal TaintManagerEviction Cancelling deletion of Pod default/some (taint-eviction-controller)'
  await passing(clock, 'told', async () => (await toldOf(client, 'Pod')).includes(cancelled))
  await clock.advanceAsync(60_000)
  assert.is((await podOf(client, 'some'))?.metadata.deletionTimestamp, undefined)
  await all.mergePatch('node-0', { spec: { taints } })
  const from = clock.now()
  await passing(clock, 'gone in the end', async () => (await podOf(client, 'some')) === undefined)
  assert.ok(clock.now() - from >= 30_000, 'it had its time anew')
})

/** Waits until all nodes are open to pods. */
async function settledNodes({ client }: ControlPlane, clock: VirtualClock): Promise<void> {
  await passing(clock, 'nodes are open', async () => {
    const { items } = await client.resource(nodes).listAll()
    return items.every(({ spec }) => (spec?.taints ?? []).length === 0)
  })
}

test.run()
