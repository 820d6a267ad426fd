import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { replicationControllers } from '../../../../generated/apis/core/v1/replication-controller.ts'
import type { Key } from '../../../client/client.ts'
import { objectKey } from '../../../informer/informer.ts'
import type { Kind } from '../../../kernel/descriptors/kind.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import { labelRequirementsOf, matchesLabels } from '../../../kernel/meta/label-selector.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { Histogram } from '../../../observe/observe.ts'
import {
  again,
  controllerOf,
  done,
  failed,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  ownedBy,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { claim, claimable, controllerIndex, settleClaim } from '../../pods/claim.ts'
import { createPod } from '../../pods/create-pod.ts'
import { podFromTemplate } from '../../pods/pod-from-template.ts'
import { isActive, nextAvailableMs } from '../../pods/pod-state.ts'
import { nextTurn, SlowStarts } from '../../pods/slow-start.ts'
import { ageRatios } from './age-ratios.ts'
import {
  decideReplicas,
  decideStatus,
  type ReplicasFailure,
  type ReplicasPlan,
} from './decide-replicas.ts'
import { type Replicated, wantedOf } from './replicated.ts'

type ReplicatedKind = Kind<Replicated>

/** What becomes of many pods is counted once in so many milliseconds; what becomes of a few, at once. */
const pace = { minIntervalMs: 100, burst: 40 }

/** Keeps the pods of replica sets: see `replicasController`. */
export function replicaSetController(context: BuildContext): readonly KeyController[] {
  return [replicasController(replicaSets as unknown as ReplicatedKind, context)]
}

/** Keeps the pods of replication controllers: see `replicasController`. */
export function replicationController(context: BuildContext): readonly KeyController[] {
  const component = 'replication-controller'
  return [
    {
      ...replicasController(replicationControllers as unknown as ReplicatedKind, context),
      component,
    },
  ]
}

/**
 * Keeps as many pods as objects of a kind ask for (T-02): adopts and releases pods by the selector, creates those that are missing in a slow start, and
 * deletes those that are too many in the order in which they are missed least.
 *
 *   reads    the kind, Pod; one object of the kind afresh before it adopts
 *   writes   Pod: create, delete, owner references; the status of the kind; Event
 *   wakes    when an object or one of its pods changes, when a pod appears that it selects, and when a pod has been ready for long enough
 *   settles  when there are as many pods as there should be, and the status says so
 */
function replicasController(
  kind: ReplicatedKind,
  { name, platform, concurrency = 5, metrics }: BuildContext,
): KeyController {
  const ratios = metrics.histogram('replicaset_controller_sorting_deletion_age_ratio')
  const starts = new SlowStarts(concurrency)
  return {
    name,
    concurrency,
    queue: pace,
    watches: [
      watching(kind, (object) => [objectKey(object)], { indexes: controllerIndex }),
      watching(pods, (pod, lookup) => keysOf(kind, pod, lookup), { indexes: controllerIndex }),
    ],
    async reconcile(key, context) {
      const object = context.cached(kind).get(key)
      return object === undefined
        ? done
        : keepReplicas(kind, object, platform, { ...context, ratios, starts })
    },
  }
}

/** Who is told of a pod: its controller, or else those that select it. */
function keysOf(kind: ReplicatedKind, pod: Stored<Pod>, { cached }: Lookup): readonly Key[] {
  const { namespace, labels } = pod.metadata
  const owner = controllerOf(pod)
  if (owner !== undefined) return owner.kind === kind.kind ? [{ namespace, name: owner.name }] : []
  return cached(kind)
    .list(namespace)
    .filter((object) => {
      const { selector } = wantedOf(object)
      const requirements = selector && labelRequirementsOf(selector)
      return requirements !== undefined && matchesLabels(requirements, labels)
    })
    .map(objectKey)
}

/** What a run works with. */
interface ReplicasContext extends KeyContext {
  readonly ratios: Histogram
  readonly starts: SlowStarts
}

async function keepReplicas(
  kind: ReplicatedKind,
  object: Stored<Replicated>,
  platform: Platform,
  context: ReplicasContext,
): Promise<Outcome> {
  const { cached, client, clock, signal } = context
  const { selector, minReadySeconds } = wantedOf(object)
  const present = claimable(cached(pods), object).filter(isActive)
  try {
    const claimed = claim(present, { owner: object, selector })
    const settling = { client, kind: pods, owner: object, ownerKind: kind, signal }
    const own = await settleClaim(claimed, settling)
    const related = () => relatedPods(kind, object, context)
    const plan = decideReplicas(object, { pods: own, related, platform }, clock.now())
    if (plan.delete.length < own.length) {
      for (const ratio of ageRatios(own, plan.delete, clock.now()))
        context.ratios.observe([], ratio)
    }
    const { left, failure, error, paused } = await carryOut(plan, own, object, context)
    const status = decideStatus(object, left, failure, clock.now())
    if (status !== object.status) await client.resource(kind).updateStatus({ ...object, status })
    if (failure !== undefined) return failed(error)
    if (paused) return nextTurn
    const waitMs = nextAvailableMs(left, minReadySeconds, clock.now())
    return waitMs === undefined ? done : again(waitMs, 'a pod is ready, and not yet available')
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (isStatus(error, 'NotFound')) return done
    throw error
  }
}

/** The pods of everything that has the same controller as an object; none for one that has no controller. */
function relatedPods(
  kind: ReplicatedKind,
  object: Stored<Replicated>,
  { cached }: KeyContext,
): readonly Stored<Pod>[] {
  const controller = controllerOf(object)
  if (controller === undefined) return []
  return cached(kind)
    .index('controller', controller.uid)
    .flatMap(({ metadata }) => cached(pods).index('controller', metadata.uid))
}

/** The pods there are after a plan was carried out, as far as it could be. */
interface CarriedOut {
  readonly left: readonly Stored<Pod>[]
  readonly failure?: ReplicasFailure
  readonly error?: unknown
  /** True if more are to be created in the next turn. */
  readonly paused?: boolean
}

async function carryOut(
  plan: ReplicasPlan,
  own: readonly Stored<Pod>[],
  object: Stored<Replicated>,
  context: ReplicasContext,
): Promise<CarriedOut> {
  if (plan.create > 0) return create(plan.create, own, object, context)
  return plan.delete.length > 0 ? remove(plan.delete, own, object, context) : { left: own }
}

async function create(
  count: number,
  own: readonly Stored<Pod>[],
  object: Stored<Replicated>,
  context: ReplicasContext,
): Promise<CarriedOut> {
  const draft = podFromTemplate(wantedOf(object).template, ownedBy(object))
  const created: Stored<Pod>[] = []
  const makeOne = async (): Promise<void> => {
    const pod = await createPod(draft, object, context)
    if (pod !== undefined) created.push(pod)
  }
  const { uid } = object.metadata
  const { error, paused } = await context.starts.run(uid, count, makeOne, context)
  const left = [...own, ...created]
  if (error === undefined) return { left, paused }
  return { left, error, failure: { reason: 'FailedCreate', message: (error as Error).message } }
}

async function remove(
  going: readonly Stored<Pod>[],
  own: readonly Stored<Pod>[],
  object: Stored<Replicated>,
  { client, event, signal }: KeyContext,
): Promise<CarriedOut> {
  const resource = client.resource(pods)
  const gone = new Set<Stored<Pod>>()
  let failure: unknown
  const deletions = going.map(async (pod) => {
    const { name } = pod.metadata
    try {
      await resource.delete(pod, {}, signal)
      gone.add(pod)
      event(object, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` })
    } catch (error) {
      if (isStatus(error, 'NotFound')) {
        gone.add(pod)
        return
      }
      const message = `Error deleting: ${(error as Error).message}`
      event(object, { type: 'Warning', reason: 'FailedDelete', message })
      failure ??= error
    }
  })
  await Promise.all(deletions)
  const left = own.filter((pod) => !gone.has(pod))
  if (failure === undefined) return { left }
  const message = `unable to delete pods: ${(failure as Error).message}`
  return { left, error: failure, failure: { reason: 'FailedDelete', message } }
}
