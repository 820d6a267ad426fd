/** Histories of one stateful set. */
import type { Random } from '../../random.ts'
import { claims, statefulSets as resource, selector, template } from '../scenarios/shapes.ts'
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

const replicas = (random: Random): number => random.pick([0, 1, 2, 3, 4])
const agent = (random: Random): string =>
  random.pick(['ready', 'ready', 'ready', 'running', 'pending'])
const image = (random: Random): string => random.pick(['a', 'b', 'c'])

const claimTemplates = [
  {
    metadata: { name: 'data' },
    spec: {
      ...{ accessModes: ['ReadWriteOnce'], storageClassName: '' },
      resources: { requests: { storage: '1Gi' } },
    },
  },
]

function updateStrategy(random: Random): object {
  const partition = random.pick([0, 0, 1, 2, 3])
  return random.chance(0.25)
    ? { type: 'OnDelete', rollingUpdate: null }
    : { type: 'RollingUpdate', rollingUpdate: { partition } }
}

function retention(random: Random): object {
  const policy = () => random.pick(['Delete', 'Retain'])
  return { whenScaled: policy(), whenDeleted: policy() }
}

const created = creates(resource, 'db', (random) => {
  const ordinals = { ordinals: { start: random.pick([1, 3]) } }
  const claimed = { volumeClaimTemplates: claimTemplates }
  const retained = { persistentVolumeClaimRetentionPolicy: retention(random) }
  return {
    spec: {
      ...{ serviceName: 'db', selector, replicas: replicas(random) },
      updateStrategy: updateStrategy(random),
      template: template(agent(random), { containers: [{ name: 'main', image: image(random) }] }),
      ...maybe(random, 0.4, { podManagementPolicy: 'Parallel' }),
      ...maybe(random, 0.3, { revisionHistoryLimit: random.pick([0, 1, 2]) }),
      ...maybe(random, 0.2, { minReadySeconds: 3600 }),
      ...maybe(random, 0.3, ordinals),
      ...maybe(random, 0.5, claimed),
      ...maybe(random, 0.5, retained),
    },
  }
})

const db = (specOf: (random: Random) => object): Operation =>
  patches(resource, 'db', (random) => ({ spec: specOf(random) }))

const scaled = db((random) => ({ replicas: replicas(random) }))
const newImage = db((random) => ({
  template: { spec: { containers: [{ name: 'main', image: image(random) }] } },
}))
const newAgent = db((random) => ({
  template: { metadata: { annotations: { agent: agent(random) } } },
}))
const newStrategy = db((random) => ({ updateStrategy: updateStrategy(random) }))
const newRetention = db((random) => ({ persistentVolumeClaimRetentionPolicy: retention(random) }))
const newStart = db((random) => ({ ordinals: { start: random.pick([0, 1, 2]) } }))
const newReadiness = db((random) => ({ minReadySeconds: random.pick([0, 1, 3600]) }))

const someClaimGoes: Operation = async (c, random) => {
  const place = random.next()
  const names = (await c.list(claims)).map(({ metadata: { name } }) => name).sort()
  const name = names[Math.floor(place * names.length)]
  if (name !== undefined) await c.delete(claims, name)
}

const operations: readonly Operation[] = [
  ...often(4, scaled),
  ...often(4, newImage),
  ...often(3, newAgent),
  ...often(2, newStrategy),
  ...often(2, everyPodBecomesReady),
  ...[newRetention, newStart, newReadiness, someClaimGoes],
  ...often(2, somePodGoes),
  ...[somePodIsHeld, everyPodIsLetGo],
  ...often(3, somePodBecomes(['fails', 'succeeds', 'running', 'ready'])),
  somePodIsMarked([
    { labels: { app: 'other' } },
    { labels: { 'statefulset.kubernetes.io/pod-name': null } },
    { labels: { 'controller-revision-hash': 'no-hash' } },
  ]),
  inTurn(deletes(resource, 'db', ['Orphan', 'Orphan', 'Foreground', 'Background']), created),
]

export const statefulSets: World = {
  name: 'stateful',
  async play(cluster, random) {
    await created(cluster, random)
    await cluster.settled()
    await playOperations(cluster, random, operations, { steps: [4, 9], quietMs: 1500 })
  },
}
