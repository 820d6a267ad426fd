import type { ReplicaSetStatus } from '../../../../generated/apis/apps/v1/replica-set.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { conditionOf } from '../../../reconcile/reconcile.ts'
import { deletionOrder } from '../../pods/deletion-order.ts'
import { isAvailable, isReady } from '../../pods/pod-state.ts'
import { type Replicated, wantedOf } from './replicated.ts'

/** The most pods that one run creates or deletes. */
const burst = 500

/** What is to be done about the number of pods. */
export interface ReplicasPlan {
  readonly create: number
  readonly delete: readonly Stored<Pod>[]
}

/** What is observed of pods. */
export interface ObservedReplicas {
  /** The active pods that are its own. */
  readonly pods: readonly Stored<Pod>[]
  /** The pods of everything that has the same controller, its own among them; asked for only if some of its own are to go. */
  readonly related: () => readonly Stored<Pod>[]
  readonly platform: Pick<Platform, 'domain'>
}

/** How many pods are missing, and which ones are too many. */
export function decideReplicas(
  object: Stored<Replicated>,
  { pods, related, platform }: ObservedReplicas,
  now: number,
): ReplicasPlan {
  if (object.metadata.deletionTimestamp !== undefined) return { create: 0, delete: [] }
  const missing = wantedOf(object).replicas - pods.length
  if (missing >= 0) return { create: Math.min(missing, burst), delete: [] }
  const surplus = Math.min(-missing, burst)
  const order =
    surplus < pods.length ? deletionOrder(pods, { platform, related: related(), now }) : pods
  return { create: 0, delete: order.slice(0, surplus) }
}

/** What went wrong in carrying out a plan, in words. */
export interface ReplicasFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete'
  readonly message: string
}

/**
 * The status after a plan was carried out; the present one if nothing has changed. A failure is told as it was when it began, and
 * until nothing fails.
 */
export function decideStatus(
  object: Stored<Replicated>,
  pods: readonly Stored<Pod>[],
  failure: ReplicasFailure | undefined,
  now: number,
): ReplicaSetStatus {
  const { template, minReadySeconds } = wantedOf(object)
  const labels = Object.entries(template.metadata?.labels ?? {})
  const { status: last = { replicas: 0 } } = object
  const { conditions, ...counts } = last
  const current = conditionOf(conditions, 'ReplicaFailure')
  const others = conditions?.filter((one) => one !== current) ?? []
  const failed = failure && { type: 'ReplicaFailure', status: 'True', ...failure }
  const told =
    failed === undefined ? [] : [current ?? { ...failed, lastTransitionTime: timestamp(now) }]
  const next = {
    replicas: pods.length,
    fullyLabeledReplicas: count(pods, ({ metadata }) =>
      labels.every(([key, value]) => metadata.labels?.[key] === value),
    ),
    readyReplicas: count(pods, isReady),
    availableReplicas: count(pods, (pod) => isAvailable(pod, minReadySeconds, now)),
    observedGeneration: object.metadata.generation ?? 0,
  }
  const zero = { fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 }
  const isSame = deepEqual({ ...zero, ...counts }, next) && told[0] === current
  return isSame ? last : { ...next, ...withConditions([...others, ...told]) }
}

function count(pods: readonly Stored<Pod>[], is: (pod: Stored<Pod>) => boolean): number {
  return pods.filter(is).length
}

function withConditions(conditions: ReplicaSetStatus['conditions'] & object) {
  return conditions.length > 0 ? { conditions } : {}
}
