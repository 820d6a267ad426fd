import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
} from '../../../../generated/apis/apps/v1/deployment.ts'
import type { ReplicaSet } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { conditionOf } from '../../../reconcile/reconcile.ts'
import { certainlyPastMs } from '../../contract/whole-seconds.ts'
import { type PlannedSet, sizeOf } from './planned-sets.ts'
import { maxUnavailable, progressDeadlineOf, replicasOf } from './rollout-limits.ts'

type Conditions = readonly DeploymentCondition[]

/** What a status is made of. */
export interface StatusOfRollout {
  readonly deployment: Stored<Deployment>
  readonly newest: PlannedSet | undefined
  readonly all: readonly PlannedSet[]
  /** The conditions as they are so far. */
  readonly conditions: Conditions
  readonly now: number
}

/** The counts, and whether enough pods are available. */
export function countedStatus(rollout: StatusOfRollout): DeploymentStatus {
  const { deployment, newest, all, conditions, now } = rollout
  const sum = (count: (status: NonNullable<ReplicaSet['status']>) => number | undefined) =>
    all.reduce((total, { stored }) => total + ((stored?.status && count(stored.status)) ?? 0), 0)
  const available = sum(({ availableReplicas }) => availableReplicas)
  const { collisionCount } = deployment.status ?? {}
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(({ replicas }) => replicas),
    updatedReplicas: newest?.stored?.status?.replicas ?? 0,
    readyReplicas: sum(({ readyReplicas }) => readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sizeOf(all) - available),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: withCondition(conditions, availability(deployment, available), now),
  }
}

function availability(deployment: Stored<Deployment>, available: number): ToldCondition {
  const isEnough = available >= replicasOf(deployment) - maxUnavailable(deployment)
  const [status, reason] = isEnough
    ? (['True', 'MinimumReplicasAvailable'] as const)
    : (['False', 'MinimumReplicasUnavailable'] as const)
  const message = `Deployment ${isEnough ? 'has' : 'does not have'} minimum availability.`
  return { type: 'Available', status, reason, message }
}

/** The counts, whether enough pods are available, how a rollout progresses, and what fails. */
export function rolloutStatus(rollout: StatusOfRollout): DeploymentStatus {
  const status = countedStatus(rollout)
  const { conditions = [] } = status
  const progressed = withProgress(rollout, status, conditions)
  return { ...status, conditions: withFailure(rollout, progressed) }
}

function withProgress(
  { deployment, newest, now }: StatusOfRollout,
  status: DeploymentStatus,
  conditions: Conditions,
): Conditions {
  const deadline = progressDeadlineOf(deployment)
  if (deadline === undefined) return without(conditions, 'Progressing')
  const current = conditionOf(conditions, 'Progressing')
  const isOver =
    status.replicas === status.updatedReplicas && current?.reason === 'NewReplicaSetAvailable'
  if (isOver) return conditions
  const subject = newest === undefined ? 'Deployment' : 'ReplicaSet'
  const name = `${subject} "${newest?.name ?? deployment.metadata.name}"`
  const told = (value: 'True' | 'False', reason: string, message: string) =>
    ({ type: 'Progressing', status: value, reason, message: `${name} ${message}` }) as const
  if (isComplete(deployment, status)) {
    const condition = told('True', 'NewReplicaSetAvailable', 'has successfully progressed.')
    return withCondition(conditions, condition, now)
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const condition = told('True', 'ReplicaSetUpdated', 'is progressing.')
    return withCondition(conditions, condition, now, true)
  }
  if (!hasTimedOut(current, deadline, now)) return conditions
  const condition = told('False', 'ProgressDeadlineExceeded', 'has timed out progressing.')
  return withCondition(conditions, condition, now)
}

/** True if all pods are new and available, and no old one is left. */
export function isComplete(deployment: Stored<Deployment>, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment)
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === wanted) &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

/** True if there are more new, ready or available pods than before, or fewer old ones. */
function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) =>
    replicas - updatedReplicas
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

function hasTimedOut(
  condition: DeploymentCondition | undefined,
  deadline: number,
  now: number,
): boolean {
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false
  if (condition.reason === 'ProgressDeadlineExceeded') return true
  return Date.parse(condition.lastUpdateTime ?? '') + deadline * 1000 < now
}

/** Milliseconds until a rollout that does not progress has certainly timed out; undefined for one that is over. */
export function nextCheckMs(
  deployment: Stored<Deployment>,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const deadline = progressDeadlineOf(deployment)
  const current = conditionOf(status.conditions, 'Progressing')
  if (deadline === undefined || current === undefined) return undefined
  if (isComplete(deployment, status) || current.reason === 'ProgressDeadlineExceeded')
    return undefined
  const since = Date.parse(current.lastUpdateTime ?? '') || now
  return Math.max(0, certainlyPastMs(since, deadline, now))
}

/** What the newest set, or else any other, says of a failure. */
function withFailure({ newest, all }: StatusOfRollout, conditions: Conditions): Conditions {
  const sets = newest === undefined ? all : [newest, ...all]
  const [failure] = sets.flatMap(({ stored }) => {
    const found = conditionOf(stored?.status?.conditions, 'ReplicaFailure')
    return found === undefined ? [] : [found]
  })
  if (failure === undefined) return without(conditions, 'ReplicaFailure')
  const { lastTransitionTime = null } = failure
  const told = { ...failure, lastUpdateTime: lastTransitionTime, lastTransitionTime }
  const current = conditionOf(conditions, 'ReplicaFailure')
  if (current?.status === told.status && current.reason === told.reason) return conditions
  return [...without(conditions, 'ReplicaFailure'), told]
}

/** A condition without its times. */
export type ToldCondition = Required<
  Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>
>

/**
 * The conditions with one of them told last, unless it says the same already. A `fresh` one has news of the same reason: when it was
 * updated moves, too.
 */
export function withCondition(
  conditions: Conditions,
  told: ToldCondition,
  now: number,
  fresh = false,
): Conditions {
  const current = conditionOf(conditions, told.type)
  const isSame = current?.status === told.status && current.reason === told.reason
  if (isSame && !fresh) return conditions
  const at = timestamp(now)
  const { lastTransitionTime = at } = current?.status === told.status ? current : {}
  return [
    ...without(conditions, told.type),
    { ...told, lastUpdateTime: at, lastTransitionTime: lastTransitionTime ?? at },
  ]
}

function without(conditions: Conditions, type: string): Conditions {
  return conditions.filter((one) => one.type !== type)
}

/** The pods of sets that are not the newest, as their sets count them. */
export function oldPods(old: readonly PlannedSet[]): number {
  return old.reduce((sum, { stored }) => sum + (stored?.status?.replicas ?? 0), 0)
}
