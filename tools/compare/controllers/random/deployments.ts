/** Histories of one deployment, and of a second one that may select the same pods. */
import type { Random } from '../../random.ts'
import type { Any, Cluster } from '../cluster.ts'
import { replicaSets, deployments as resource, selector, template } from '../scenarios/shapes.ts'
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
  placed,
  playOperations,
  somePodBecomes,
  somePodGoes,
  somePodIsHeld,
  somePodIsMarked,
} from './operations.ts'
import type { World } from './world.ts'

const shares = [0, 1, 2, 3, '1%', '25%', '34%', '50%', '100%']

/** Never both at zero, which no server takes. */
function strategy(random: Random): object {
  if (random.chance(0.15)) return { type: 'Recreate', rollingUpdate: null }
  const isNothing = (share: number | string): boolean => share === 0
  const maxSurge = random.pick(shares)
  const maxUnavailable = random.pick(shares)
  const both = isNothing(maxSurge) && isNothing(maxUnavailable)
  return {
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge: both ? 1 : maxSurge, maxUnavailable },
  }
}

const replicas = (random: Random): number => random.pick([0, 1, 2, 3, 3, 4, 5, 7])
const image = (random: Random): string => random.pick(['a', 'b', 'c', 'd'])
const agent = (random: Random): string => random.pick(['ready', 'ready', 'running', 'pending'])

function spec(random: Random): object {
  return {
    replicas: replicas(random),
    selector,
    strategy: strategy(random),
    template: template(random.pick(['ready', 'ready', 'ready', 'running']), {
      containers: [{ name: 'main', image: image(random) }],
    }),
    ...maybe(random, 0.4, { revisionHistoryLimit: random.pick([0, 1, 2]) }),
    ...maybe(random, 0.1, { minReadySeconds: 3600, progressDeadlineSeconds: 7200 }),
    ...maybe(random, 0.1, { paused: true }),
  }
}

const created = creates(resource, 'web', (random) => ({ spec: spec(random) }))
const createdAnew = inTurn(
  deletes(resource, 'web', ['Orphan', 'Orphan', 'Foreground', 'Background']),
  created,
)

const web = (patchOf: (random: Random) => object): Operation => patches(resource, 'web', patchOf)

const newImage = web((random) => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: image(random) }] } } },
}))
const newAgent = web((random) => ({
  spec: { template: { metadata: { annotations: { agent: agent(random) } } } },
}))
const scaled = web((random) => ({ spec: { replicas: replicas(random) } }))
const paused = web((random) => ({ spec: { paused: random.chance(0.4) } }))
const resumed = web(() => ({ spec: { paused: false } }))
const newStrategy = web((random) => ({ spec: { strategy: strategy(random) } }))
const newLimit = web((random) => ({ spec: { revisionHistoryLimit: random.pick([0, 1, 2, 10]) } }))
const marked = web((random) => ({
  metadata: {
    labels: { note: random.pick(['x', 'y', null]) },
    annotations: {
      note: random.pick(['x', 'y', null]),
      'kubernetes.io/change-cause': random.pick(['first', 'second', null]),
    },
  },
}))
/** The replica set at a place that is drawn: in the order of their revisions. */
function toSomeSet(act: (c: Cluster, set: Any, random: Random) => Promise<unknown>): Operation {
  return async (c, random) => {
    const place = random.next()
    const orderOf = ({ metadata }: Any): string => {
      const revision = metadata.annotations?.['deployment.kubernetes.io/revision'] ?? ''
      return JSON.stringify([metadata.labels?.app, revision.padStart(3)])
    }
    const sets = [...(await c.list(replicaSets))].sort((one, other) =>
      orderOf(one) < orderOf(other) ? -1 : 1,
    )
    await act(c, placed(sets, place) ?? { metadata: { name: '' } }, random)
  }
}

const setScaled = toSomeSet(async (c, { metadata: { name } }, random) => {
  const size = replicas(random)
  if (name !== '') await c.patch(replicaSets, name, { spec: { replicas: size } })
})
const setDeleted = toSomeSet(async (c, { metadata: { name } }, random) => {
  const propagationPolicy = random.pick(['Orphan', 'Background', 'Foreground'])
  if (name !== '') await c.delete(replicaSets, name, { propagationPolicy })
})
const setMarked = toSomeSet(async (c, { metadata: { name } }, random) => {
  const annotations = random.pick([
    { note: 'z' },
    { 'deployment.kubernetes.io/revision': '7' },
    { 'deployment.kubernetes.io/revision': null },
    { 'deployment.kubernetes.io/desired-replicas': '9' },
    { 'deployment.kubernetes.io/max-replicas': null },
  ])
  if (name !== '') await c.patch(replicaSets, name, { metadata: { annotations } })
})
const setReleased = toSomeSet(async (c, { metadata: { name } }) => {
  if (name !== '') await c.patch(replicaSets, name, { metadata: { labels: { app: 'other' } } })
})

const operations: readonly Operation[] = [
  ...often(4, newImage),
  ...often(3, newAgent),
  ...often(3, scaled),
  ...often(2, everyPodBecomesReady),
  ...often(2, resumed),
  ...[paused, newStrategy, newLimit, marked, somePodGoes],
  somePodBecomes(['fails', 'succeeds', 'running', 'ready']),
  somePodIsMarked([
    { labels: { app: 'other' } },
    { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-10' } },
  ]),
  ...[setScaled, setDeleted, setMarked, setReleased, createdAnew, everyPodIsLetGo, somePodIsHeld],
]

export const deployments: World = {
  name: 'deployments',
  async play(cluster, random) {
    await created(cluster, random)
    await cluster.settled()
    await playOperations(cluster, random, operations, { steps: [4, 9] })
  },
}
