/** Histories of replica sets and of a replication controller, side by side in one namespace. */
import type { Random } from '../../random.ts'
import { app, pod, pods, replicaSets, selector, template } from '../scenarios/shapes.ts'
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

const controllers = 'v1/replicationcontrollers'
const replicas = (random: Random): number => random.pick([0, 1, 2, 3, 5])
const agent = (random: Random): string => random.pick(['ready', 'ready', 'ready', 'running'])
/** Those of the controller; they are no others' pods until their labels change. */
const other = { app: 'y' }

const set = creates(replicaSets, 'set', (random) => ({
  spec: {
    ...{ replicas: replicas(random), selector, template: template(agent(random)) },
    ...maybe(random, 0.2, { minReadySeconds: random.pick([1, 3600]) }),
  },
}))
/** Asks for some of the same pods. */
const narrow = creates(replicaSets, 'narrow', (random) => {
  const labels = { ...app, tier: 'z' }
  return {
    spec: {
      replicas: replicas(random),
      selector: { matchLabels: app, matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      template: template(agent(random), {}, labels),
    },
  }
})
const controller = creates(controllers, 'rc', (random) => ({
  spec: {
    replicas: replicas(random),
    ...maybe(random, 0.5, { selector: other }),
    template: template(agent(random), {}, other),
  },
}))

const policies = ['Orphan', 'Foreground', 'Background']
const scaled = (resource: string, name: string): Operation =>
  patches(resource, name, (random) => ({ spec: { replicas: replicas(random) } }))
const newTemplate = (resource: string, name: string): Operation =>
  patches(resource, name, (random) => ({
    spec: {
      template: {
        metadata: {
          annotations: { agent: agent(random) },
          labels: { tier: random.pick(['z', null]) },
        },
      },
    },
  }))
const newReadiness = patches(replicaSets, 'set', (random) => ({
  spec: { minReadySeconds: random.pick([0, 1, 3600]) },
}))

/** A pod that a set may adopt. */
const freePod = (name: string): Operation =>
  creates(pods, name, (random) => {
    const labels = random.pick([app, other, { ...app, tier: 'z' }])
    return pod(name, random.pick(['ready', 'running', 'fails', 'succeeds']), {}, { labels })
  })

const operations: readonly Operation[] = [
  ...often(3, scaled(replicaSets, 'set')),
  ...often(2, scaled(controllers, 'rc')),
  ...often(2, inTurn(deletes(replicaSets, 'set', policies), set)),
  ...often(2, inTurn(deletes(controllers, 'rc', policies), controller)),
  ...[narrow, deletes(replicaSets, 'narrow', policies), scaled(replicaSets, 'narrow')],
  ...[newTemplate(replicaSets, 'set'), newTemplate(controllers, 'rc'), newReadiness],
  ...[freePod('free'), freePod('more'), everyPodBecomesReady],
  ...often(3, somePodBecomes(['fails', 'succeeds', 'running', 'ready'])),
  ...often(2, somePodGoes),
  ...[somePodIsHeld, everyPodIsLetGo],
  ...often(
    4,
    somePodIsMarked([
      ...[{ labels: { app: 'y' } }, { labels: { app: 'x' } }, { labels: { app: null } }],
      ...[{ labels: { tier: 'z' } }, { labels: { tier: null } }],
      { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-10' } },
      { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '10' } },
      { finalizers: ['example.com/held'] },
    ]),
  ),
]

export const sets: World = {
  name: 'sets',
  async play(cluster, random) {
    await inTurn(set, controller)(cluster, random)
    await playOperations(cluster, random, operations, { steps: [5, 10], quietMs: 1500 })
  },
}
