import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { replicaSets } from '../../../generated/apis/apps/v1/replica-set.ts'
import { statefulSets } from '../../../generated/apis/apps/v1/stateful-set.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { replicationControllers } from '../../../generated/apis/core/v1/replication-controller.ts'
import type { LabelSelector } from '../../../generated/apis/meta/v1/label-selector.ts'
import {
  type PodDisruptionBudget,
  podDisruptionBudgets,
} from '../../../generated/apis/policy/v1.ts'
import { objectKey } from '../../informer/informer.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { Recent } from '../../kernel/values/recent.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { printSelector } from '../contract/print-selector.ts'
import { decideBudget, failedStatus, needsScale, staleDisruptionMs } from './decide-budget.ts'
import { type ExpectedScale, expectedScale } from './expected-scale.ts'

type Budget = Stored<PodDisruptionBudget>

const podIndex = { namespace: 'metadata.namespace' } as const

/** So many pods are remembered of which was told that several budgets select them. */
const remembered = 1000

/**
 * Says of each budget how many of its pods may be evicted (T-08), and takes back that a pod is to go which does not.
 *
 *   reads    PodDisruptionBudget, Pod, Deployment, ReplicaSet, ReplicationController, StatefulSet; the scale of other controllers of pods
 *   writes   PodDisruptionBudget: status; Pod: status; Event
 *   wakes    when a budget or one of its pods changes, and two minutes after an eviction
 *   settles  when the status of every budget is that of its pods
 */
export function disruptionController({ name }: BuildContext): readonly KeyController[] {
  const component = 'controllermanager'
  const told = new Recent<true>(remembered)
  const silent = [deployments, replicaSets, replicationControllers, statefulSets]
  return [
    {
      ...{ name, component, concurrency: 1 },
      watches: [
        watching(podDisruptionBudgets, (budget) => [objectKey(budget)]),
        watching(pods, (pod, lookup) => budgetsOf(pod, lookup).map(objectKey), {
          indexes: podIndex,
        }),
        ...silent.map((kind) => watching(kind as never, () => [])),
      ],
      async reconcile(key, context) {
        const budget = context.cached(podDisruptionBudgets).get(key)
        return budget === undefined ? done : keepBudget(budget, context, told)
      },
    },
    {
      ...{ name: `${name}/stale-disruptions`, component, concurrency: 1 },
      watches: [watching(pods, (pod) => [objectKey(pod)], { where: hasDisruption })],
      async reconcile(key, context) {
        const pod = context.cached(pods).get(key)
        return pod === undefined ? done : takeBack(pod, context)
      },
    },
  ]
}

/** The budgets that select a pod, by name. */
function budgetsOf(
  { metadata: { namespace, labels } }: Stored<Pod>,
  { cached }: Pick<Lookup, 'cached'>,
): readonly Budget[] {
  return cached(podDisruptionBudgets)
    .list(namespace)
    .filter(({ spec }) => selects(spec?.selector, labels))
    .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
}

/** A budget without a selector has no pods, one whose selector is empty all of its namespace. */
function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const requirements = selector && labelRequirementsOf(selector)
  return requirements !== undefined && matchesLabels(requirements, labels)
}

async function keepBudget(
  budget: Budget,
  context: KeyContext,
  told: Recent<true>,
): Promise<Outcome> {
  const { cached, clock, event } = context
  const { namespace } = budget.metadata
  const selected = cached(pods)
    .index('namespace', namespace)
    .filter(({ metadata }) => selects(budget.spec?.selector, metadata.labels))
  if (selected.length === 0)
    event(budget, { type: 'Normal', reason: 'NoPods', message: 'No matching pods found' })
  tellShared(selected, context, told)
  try {
    const expected = await scaleOf(budget, selected, context)
    if (expected.unmanaged.length > 0) tellUnmanaged(budget, context)
    const observed = { budget, pods: selected, scale: expected.scale }
    const { status, overdue, recheckMs } = decideBudget(observed, clock.now())
    for (const pod of overdue) tellOverdue(pod, budget, context)
    await writeStatus(budget, status, context)
    return recheckMs === undefined ? done : again(recheckMs, 'an eviction was allowed')
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (isStatus(error, 'NotFound')) return done
    return fail(budget, error as Error, context)
  }
}

async function scaleOf(
  budget: Budget,
  selected: readonly Stored<Pod>[],
  context: KeyContext,
): Promise<ExpectedScale> {
  if (!needsScale(budget)) return { scale: 0, unmanaged: [] }
  try {
    return await expectedScale(selected, context)
  } catch (error) {
    const message = `Failed to calculate the number of expected pods: ${(error as Error).message}`
    context.event(budget, { type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message })
    throw error
  }
}

/** Nothing may be evicted for a budget that could not be worked out; what may pass is tried again. */
async function fail(budget: Budget, error: Error, context: KeyContext): Promise<Outcome> {
  const status = failedStatus(budget, error.message, context.clock.now())
  await writeStatus(budget, status, context)
  const mayPass = error instanceof StatusError && error.code >= 500
  return mayPass ? { is: 'failed', error } : done
}

async function writeStatus(
  budget: Budget,
  status: PodDisruptionBudget['status'],
  { client, signal }: KeyContext,
): Promise<void> {
  if (status === undefined || status === budget.status) return
  await client.resource(podDisruptionBudgets).updateStatus({ ...budget, status }, {}, signal)
}

/** Tells of pods that several budgets select, once each. */
function tellShared(
  selected: readonly Stored<Pod>[],
  context: KeyContext,
  told: Recent<true>,
): void {
  for (const pod of selected) {
    const { uid, namespace, name } = pod.metadata
    const [first, second] = budgetsOf(pod, context)
    if (second === undefined || first === undefined || told.has(uid)) continue
    told.set(uid, true)
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`
    context.event(pod, { type: 'Warning', reason: 'MultiplePodDisruptionBudgets', message })
  }
}

function tellUnmanaged(budget: Budget, { event }: KeyContext): void {
  const selector = printSelector(budget.spec?.selector ?? {})
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. ` +
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  event(budget, { type: 'Warning', reason: 'UnmanagedPods', message })
}

function tellOverdue(pod: Stored<Pod>, { metadata }: Budget, { event }: KeyContext): void {
  const { namespace, name } = metadata
  const message = `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`
  event(pod, { type: 'Warning', reason: 'NotDeleted', message })
}

function hasDisruption({ status }: Stored<Pod>): boolean {
  return status?.conditions?.some(({ type }) => type === 'DisruptionTarget') === true
}

/** Says of a pod that was to be disrupted, and was not, that it no longer is. */
async function takeBack(pod: Stored<Pod>, { client, clock, signal }: KeyContext): Promise<Outcome> {
  const dueMs = staleDisruptionMs(pod, clock.now())
  if (dueMs === undefined) return done
  if (dueMs > 0) return again(dueMs, 'it may still go')
  const type = 'DisruptionTarget'
  const kept = pod.status?.conditions?.filter((one) => one.type !== type) ?? []
  const lastTransitionTime = timestamp(clock.now())
  const conditions = [...kept, { type, status: 'False', lastTransitionTime } as const]
  const { uid, resourceVersion } = pod.metadata
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } }
  try {
    await client.resource(pods).mergePatch(objectKey(pod), patch, { subresource: 'status' }, signal)
    return done
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (isStatus(error, 'NotFound')) return done
    throw error
  }
}
