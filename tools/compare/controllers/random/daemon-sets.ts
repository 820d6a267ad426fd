/** Histories of one daemon set and of the nodes that are for it. */
import type { Random } from '../../random.ts'
import { besideWork, readyNode } from '../agent.ts'
import type { Cluster } from '../cluster.ts'
import { nodes, pods, daemonSets as resource, selector, template } from '../scenarios/shapes.ts'
import {
  creates,
  deletes,
  everyPodBecomesReady,
  everyPodIsLetGo,
  inTurn,
  maybe,
  type Operation,
  often,
  patches,
  playOperations,
  somePodBecomes,
  somePodGoes,
  somePodIsHeld,
  somePodIsMarked,
} from './operations.ts'
import type { World } from './world.ts'

const agent = (random: Random): string => random.pick(['ready', 'ready', 'running', 'pending'])
const image = (random: Random): string => random.pick(['a', 'b', 'c'])
const shares = [1, 2, '1%', '50%', '100%']

function updateStrategy(random: Random): object {
  const share = random.pick(shares)
  const rollingUpdate = random.chance(0.4)
    ? { maxSurge: share, maxUnavailable: 0 }
    : { maxSurge: 0, maxUnavailable: share }
  return random.chance(0.2)
    ? { type: 'OnDelete', rollingUpdate: null }
    : { type: 'RollingUpdate', rollingUpdate }
}

/** Nodes of other namespaces do not get pods, nor does one of this whose label `tier` is another. */
const ownNodes = (c: Cluster, tier: string | null): object => ({ only: c.namespace, tier })

const created: Operation = (c, random) =>
  creates(resource, 'agent', () => ({
    spec: {
      ...{ selector, updateStrategy: updateStrategy(random) },
      template: template('ready', {
        nodeSelector: { only: c.namespace },
        containers: [{ name: 'main', image: image(random) }],
        ...maybe(random, 0.3, { tolerations: [{ key: 'soft', operator: 'Exists' }] }),
      }),
      ...maybe(random, 0.3, { revisionHistoryLimit: random.pick([0, 1]) }),
      ...maybe(random, 0.1, { minReadySeconds: 3600 }),
    },
  }))(c, random)

const set =
  (specOf: (random: Random, c: Cluster) => object): Operation =>
  (c, random) =>
    patches(resource, 'agent', () => ({ spec: specOf(random, c) }))(c, random)

const newImage = set((random) => ({
  template: { spec: { containers: [{ name: 'main', image: image(random) }] } },
}))
/** Of a rollout that stands still no part of the nodes must be done: which one is for the controller to choose. */
const newAgent = set((random) => {
  const word = agent(random)
  const rollingUpdate = { maxSurge: 0, maxUnavailable: '100%' }
  return {
    template: { metadata: { annotations: { agent: word } } },
    ...(word !== 'ready' && { updateStrategy: { type: 'RollingUpdate', rollingUpdate } }),
  }
})
const ready = set(() => ({ template: { metadata: { annotations: { agent: 'ready' } } } }))
const newStrategy = set((random) => ({ updateStrategy: updateStrategy(random) }))
const newSelector = set((random, c) => ({
  template: { spec: { nodeSelector: ownNodes(c, random.pick(['front', null])) } },
}))
const newReadiness = set((random) => ({ minReadySeconds: random.pick([0, 0, 3600]) }))

const letters = ['a', 'b', 'c', 'd']
const nodeName = (c: Cluster, letter: string): string => `${c.namespace}-${letter}`

const nodeComes: Operation = async (c, random) => {
  const name = nodeName(c, random.pick(letters))
  const tier = random.pick(['front', 'back'])
  if ((await c.find(nodes, name)) !== undefined) return
  const labels = { [besideWork]: '', ...ownNodes(c, tier) }
  await c.create(nodes, { metadata: { name, labels } })
  await c.status(nodes, name, readyNode())
}
/** With its pods, as the collector of pods would have it after a while; the reference does not look at its daemon sets before. */
const nodeGoes: Operation = async (c, random) => {
  const name = nodeName(c, random.pick(letters))
  await deletes(nodes, name, ['Background'])(c, random)
  for (const { metadata, spec } of await c.list(pods))
    if (spec.nodeName === name) await c.delete(pods, metadata.name)
}
const nodeChanges =
  (patchOf: (random: Random, c: Cluster) => object): Operation =>
  (c, random) =>
    patches(nodes, nodeName(c, random.pick(letters)), () => patchOf(random, c))(c, random)

const labelled = nodeChanges((random, c) => ({
  metadata: {
    labels: { only: random.pick([c.namespace, null]), tier: random.pick(['front', 'back']) },
  },
}))
const cordoned = nodeChanges((random) => ({ spec: { unschedulable: random.pick([true, null]) } }))
const tainted = nodeChanges((random) => {
  const key = random.pick(['soft', 'hard'])
  const effect = random.pick(['NoSchedule', 'PreferNoSchedule'])
  return { spec: { taints: random.chance(0.5) ? [{ key, effect }] : null } }
})

const operations: readonly Operation[] = [
  ...often(4, newImage),
  ...often(3, newAgent),
  ...often(2, inTurn(ready, everyPodBecomesReady, newStrategy)),
  ...often(2, newSelector),
  ...often(2, everyPodBecomesReady),
  ...often(3, nodeComes),
  ...[nodeGoes, labelled, labelled, cordoned, tainted, tainted, newReadiness],
  ...often(2, somePodGoes),
  ...[somePodIsHeld, everyPodIsLetGo],
  ...often(2, somePodBecomes(['fails', 'succeeds', 'running', 'ready'])),
  somePodIsMarked([
    { labels: { app: 'other' } },
    { labels: { 'controller-revision-hash': 'no-hash' } },
  ]),
  inTurn(deletes(resource, 'agent', ['Orphan', 'Orphan', 'Foreground', 'Background']), created),
]

export const daemonSets: World = {
  name: 'daemons',
  async play(cluster, random) {
    await inTurn(nodeComes, nodeComes, nodeComes, created)(cluster, random)
    await playOperations(cluster, random, operations, { steps: [4, 9], quietMs: 1500 })
  },
}
