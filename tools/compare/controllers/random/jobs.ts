/** Histories of one job. */
import type { Random } from '../../random.ts'
import { podSpec, pods, jobs as resource } from '../scenarios/shapes.ts'
import {
  creates,
  deletes,
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
  toSomePod,
} from './operations.ts'
import type { World } from './world.ts'

/** Which exit codes a policy tells apart, and what it does about a pod that was disrupted. */
function failurePolicy(random: Random): object {
  const action = (actions: readonly string[]) => random.pick(actions)
  const onPodConditions = [{ type: 'DisruptionTarget', status: 'True' }]
  const onExitCodes = { operator: random.pick(['In', 'NotIn']), values: [42] }
  return {
    rules: [
      { action: action(['Ignore', 'Count', 'FailJob']), onPodConditions },
      { action: action(['Ignore', 'Count', 'FailJob']), onExitCodes },
    ],
  }
}

const created = creates(resource, 'work', (random) => {
  const isIndexed = random.chance(0.5)
  const completions = random.pick([1, 2, 3, 5])
  const isByIndex = isIndexed && random.chance(0.4)
  const byIndex = {
    backoffLimitPerIndex: random.pick([0, 1]),
    ...maybe(random, 0.5, { maxFailedIndexes: random.pick([0, 1]) }),
  }
  const policy = { podFailurePolicy: failurePolicy(random) }
  return {
    metadata: { name: 'work' },
    spec: {
      parallelism: random.pick([0, 1, 2, 3, 5]),
      ...(isIndexed && { completionMode: 'Indexed' }),
      ...(isIndexed || random.chance(0.7) ? { completions } : {}),
      ...(isByIndex ? byIndex : maybe(random, 0.7, { backoffLimit: random.pick([0, 1, 2]) })),
      ...maybe(random, 0.4, policy),
      ...maybe(random, 0.3, { podReplacementPolicy: 'Failed' }),
      ...maybe(random, 0.15, { suspend: true }),
      ...maybe(random, 0.1, { ttlSecondsAfterFinished: random.pick([0, 3600]) }),
      ...maybe(random, 0.05, { activeDeadlineSeconds: 3600 }),
      template: {
        metadata: {
          annotations: { agent: random.pick(['ready', 'ready', 'running', 'succeeds']) },
        },
        spec: podSpec({ restartPolicy: 'Never' }),
      },
    },
  }
})

const job = (specOf: (random: Random) => object): Operation =>
  patches(resource, 'work', (random) => ({ spec: specOf(random) }))

const scaled = job((random) => ({ parallelism: random.pick([0, 1, 2, 3, 5]) }))
const suspended = job((random) => ({ suspend: random.chance(0.5) }))
const resumed = job(() => ({ suspend: false }))
/** Only indexed jobs may, with as much parallelism. */
const resized: Operation = async (c, random) => {
  const size = random.pick([1, 2, 3, 4])
  const found = await c.find(resource, 'work')
  if (found?.spec.completionMode === 'Indexed')
    await c
      .patch(resource, 'work', { spec: { completions: size, parallelism: size } })
      .catch(() => {})
}

/** A pod fails since its node had to get rid of it. */
const somePodIsDisrupted = toSomePod(async (c, { metadata: { name } }) => {
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'Told' }
  const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }]
  if (name !== '') await c.status(pods, name, { phase: 'Failed', conditions })
})

const operations: readonly Operation[] = [
  ...often(6, somePodBecomes(['succeeds'])),
  ...often(5, somePodBecomes(['fails', 'fails 42', 'fails 3'])),
  ...often(2, somePodBecomes(['running', 'ready'])),
  ...often(2, somePodGoes),
  ...[somePodIsHeld, everyPodIsLetGo],
  ...often(2, somePodIsDisrupted),
  ...often(3, scaled),
  ...often(2, suspended),
  ...often(2, resumed),
  ...often(2, resized),
  somePodIsMarked([
    { labels: { 'batch.kubernetes.io/job-name': 'other' } },
    { finalizers: null },
    { annotations: { 'batch.kubernetes.io/job-completion-index': null } },
  ]),
  inTurn(deletes(resource, 'work', ['Orphan', 'Foreground', 'Background']), created),
]

export const jobs: World = {
  name: 'jobs',
  async play(cluster, random) {
    await created(cluster, random)
    await cluster.settled(1500)
    await playOperations(cluster, random, operations, { steps: [4, 9], quietMs: 2500 })
  },
}
