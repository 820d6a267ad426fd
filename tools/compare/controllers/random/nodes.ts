/** Nodes whose conditions, taints and labels change, and that go with their pods. */
import type { Random } from '../../random.ts'
import { besideWork, readyNode } from '../agent.ts'
import type { Cluster } from '../cluster.ts'
import { nodes, pod, pods } from '../scenarios/shapes.ts'
import { type Operation, playSome } from './steps.ts'
import type { World } from './world.ts'

const nodeOf = (c: { namespace: string }, random: Random): string =>
  `${c.namespace}-n${random.below(3)}`

/** Zones of a history are its own: how many of a zone are ready decides about each. */
function labelsOf(c: { namespace: string }, random: Random): object {
  return {
    [besideWork]: '',
    'topology.kubernetes.io/region': c.namespace,
    'topology.kubernetes.io/zone': random.pick(['a', 'b']),
    ...random.pick<object>([
      {},
      { 'kubernetes.io/arch': 'amd64' },
      { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'other' },
      { 'beta.kubernetes.io/arch': 'arm64' },
    ]),
  }
}

const aNode: Operation = async (c, random) => {
  const name = nodeOf(c, random)
  await c.create(nodes, {
    metadata: { name, labels: labelsOf(c, random) },
    spec: random.chance(0.2) ? { taints: [random.pick(taints)] } : {},
  })
  await c.status(nodes, name, readyNode())
}

const conditionTypes = [
  'Ready',
  'Ready',
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
]

/** Only the controller says of a node that it is not heard of: the reference looks after pods where it has written that itself. */
const otherCondition: Operation = async (c, random) => {
  const name = nodeOf(c, random)
  const type = random.pick(conditionTypes)
  const status = random.pick(type === 'Ready' ? ['True', 'False'] : ['True', 'False', 'Unknown'])
  const { conditions = [] } = (await c.get(nodes, name)).status
  const at = new Date().toISOString().replace(/\.\d+/, '')
  const others = conditions.filter((one: { type: string }) => one.type !== type)
  const said = { type, status, lastHeartbeatTime: at, lastTransitionTime: at, reason: 'Told' }
  await c.status(nodes, name, { conditions: [...others, said] })
}

const taints = [
  { key: 'k', value: 'v', effect: 'NoExecute' },
  { key: 'k', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/out-of-service', value: 'x', effect: 'NoExecute' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
]

const otherTaints: Operation = (c, random) =>
  c.patch(nodes, nodeOf(c, random), {
    spec: { taints: random.chance(0.3) ? null : [random.pick(taints)] },
  })

const otherSpec: Operation = (c, random) =>
  c.patch(
    nodes,
    nodeOf(c, random),
    random.pick<object>([
      { spec: { unschedulable: true } },
      { spec: { unschedulable: null } },
      { metadata: { labels: labelsOf(c, random) } },
      { metadata: { labels: { 'kubernetes.io/os': null } } },
      { metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': '300' } } },
    ]),
  )

const noNode: Operation = (c, random) => c.delete(nodes, nodeOf(c, random))

const aPod: Operation = (c, random) => {
  const tolerations = random.pick<readonly object[]>([
    [],
    [{ operator: 'Exists' }],
    [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }],
    [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }],
    [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: 2 }],
    [{ key: 'k', value: 'other' }],
  ])
  const spec = {
    nodeName: nodeOf(c, random),
    tolerations,
    ...(random.chance(0.3) && { terminationGracePeriodSeconds: 3600 }),
  }
  const agent = { agent: random.pick(['ready', 'running', 'pending', 'succeeds']) }
  const holds = random.chance(0.3) ? { 'agent-holds': '' } : {}
  return c.create(
    pods,
    pod(`p${random.below(6)}`, 'ready', spec, { annotations: { ...agent, ...holds } }),
  )
}

const noPod: Operation = (c, random) => c.delete(pods, `p${random.below(6)}`)

/** True while there are pods of nodes that are not there: they are left alone for a while. */
async function hasLostPods(c: Cluster): Promise<boolean> {
  const there = new Set((await c.list(nodes)).map(({ metadata }) => metadata.name))
  return (await c.list(pods)).some(({ spec }) => !there.has(spec.nodeName))
}

export const nodeWorlds: readonly World[] = [
  {
    name: 'nodes',
    async play(c, random) {
      for (let number = 0; number < 3; number += 1) await aNode(c, random).catch(() => {})
      await playSome(c, random, { steps: 20 }, [
        ...[aNode, aNode, otherCondition, otherCondition, otherCondition, otherTaints, otherTaints],
        ...[otherSpec, noNode, aPod, aPod, aPod, aPod, noPod],
      ])
      for (let look = 0; look < 100 && (await hasLostPods(c)); look += 1) await c.settled()
    },
  },
]
