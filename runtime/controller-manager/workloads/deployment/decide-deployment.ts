import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
} from '../../../../generated/apis/apps/v1/deployment.ts'
import type { ReplicaSet } from '../../../../generated/apis/apps/v1/replica-set.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { conditionOf } from '../../../reconcile/reconcile.ts'
import { newSet } from './new-set.ts'
import {
  activeOf,
  bringUpToDate,
  isChanged,
  type PlannedSet,
  plannedSet,
  scaleTo,
} from './planned-sets.ts'
import { scaleSets } from './proportions.ts'
import {
  annotationsOfDeployment,
  nextRevision,
  numberIn,
  publishedRevision,
  type RevisionKeys,
  revisionOf,
} from './revisions.ts'
import { roll } from './rolling.ts'
import { historyLimitOf, isRolling, progressDeadlineOf, replicasOf } from './rollout-limits.ts'
import {
  countedStatus,
  isComplete,
  nextCheckMs,
  oldPods,
  rolloutStatus,
  type ToldCondition,
  withCondition,
} from './rollout-status.ts'
import { isSameTemplate } from './template-hash.ts'

/** What is observed of a deployment. */
export interface ObservedDeployment {
  readonly deployment: Stored<Deployment>
  /** The replica sets that are its own. */
  readonly sets: readonly Stored<ReplicaSet>[]
  /** True if a set has pods that have not finished, also such as go. Asked for of old ones only, where old pods are to end first. */
  readonly hasPods: (set: Stored<ReplicaSet>) => boolean
  readonly keys: RevisionKeys
}

/** What is to be done about a deployment. */
export interface DeploymentPlan {
  /** Sets that are created or changed, in this order. */
  readonly writes: readonly PlannedSet[]
  readonly deletions: readonly Stored<ReplicaSet>[]
  readonly status: DeploymentStatus
  readonly annotations: Readonly<Record<string, string>>
  /** True if the status or the annotations are others than those of the deployment. */
  readonly isChanged: boolean
  /** Milliseconds until its progress has to be looked at, if nothing changes. */
  readonly checkMs: number | undefined
}

/** What a decision works on. */
interface Rollout {
  readonly observed: ObservedDeployment
  readonly now: number
  /** Oldest first. */
  readonly old: readonly PlannedSet[]
  newest: PlannedSet | undefined
  conditions: readonly DeploymentCondition[]
  deletions: readonly Stored<ReplicaSet>[]
}

/** The next step of a rollout: what the reference does in several runs is one step where nothing has to happen between. */
export function decideDeployment(observed: ObservedDeployment, now: number): DeploymentPlan {
  const { deployment, keys } = observed
  const rollout = beginRollout(observed, now)
  if (deployment.metadata.deletionTimestamp !== undefined) return planOf(rollout, countedStatus)
  notePause(rollout)
  if (deployment.spec?.paused || isScaled(rollout)) {
    scaleSets({ deployment, keys, newest: rollout.newest, old: rollout.old })
    if (deployment.spec?.paused) cleanUp(rollout)
    return planOf(rollout, countedStatus)
  }
  if (isRolling(deployment)) {
    const newest = createNewest(rollout)
    roll({ deployment, keys, newest, old: rollout.old })
  } else recreate(rollout)
  if (isComplete(deployment, deployment.status ?? {})) cleanUp(rollout)
  return planOf(rollout, rolloutStatus)
}

/** Tells the newest set from the old ones, and brings it up to date. */
function beginRollout(observed: ObservedDeployment, now: number): Rollout {
  const { deployment, keys } = observed
  const sets = [...observed.sets].sort(byAge).map((set) => plannedSet(set, set))
  const newest = sets.find(({ object }) =>
    isSameTemplate(object.spec?.template, deployment.spec?.template),
  )
  const old = sets.filter((set) => set !== newest)
  for (const set of old) set.annotations = publishedRevision(set.annotations, keys)
  const { conditions = [] } = deployment.status ?? {}
  const rollout: Rollout = { observed, now, old, newest, conditions, deletions: [] }
  if (newest !== undefined) {
    bringUpToDate(newest, deployment, nextRevision(old, keys), keys)
    if (conditionOf(conditions, 'Progressing') === undefined)
      progress(rollout, {
        ...{ type: 'Progressing', status: 'True', reason: 'FoundNewReplicaSet' },
        message: `Found new replica set "${newest.name}"`,
      })
  }
  return rollout
}

function byAge({ metadata: one }: Stored<ReplicaSet>, { metadata: other }: Stored<ReplicaSet>) {
  const [a, b] = [Date.parse(one.creationTimestamp), Date.parse(other.creationTimestamp)]
  return a - b || (one.name < other.name ? -1 : 1)
}

/** Tells of progress, where anyone wants to know. */
function progress(rollout: Rollout, told: ToldCondition): void {
  const { observed, now, conditions } = rollout
  if (progressDeadlineOf(observed.deployment) === undefined) return
  rollout.conditions = withCondition(conditions, told, now)
}

/** A rollout that is paused does not fail for want of progress. */
function notePause(rollout: Rollout): void {
  const { paused = false } = rollout.observed.deployment.spec ?? {}
  const current = conditionOf(rollout.conditions, 'Progressing')?.reason
  if (current === 'ProgressDeadlineExceeded' || paused === (current === 'DeploymentPaused')) return
  const reason = paused ? 'DeploymentPaused' : 'DeploymentResumed'
  const message = `Deployment is ${paused ? 'paused' : 'resumed'}`
  progress(rollout, { type: 'Progressing', status: 'Unknown', reason, message })
}

/** True if sets that have pods were made for another size of the deployment. */
function isScaled({ observed: { deployment, keys }, newest, old }: Rollout): boolean {
  const all = newest === undefined ? old : [...old, newest]
  return activeOf(all).some(({ annotations }) => {
    const told = numberIn(annotations[keys.desired])
    return told !== undefined && told !== replicasOf(deployment)
  })
}

function createNewest(rollout: Rollout): PlannedSet {
  if (rollout.newest !== undefined) return rollout.newest
  const { deployment, keys } = rollout.observed
  const newest = newSet(deployment, rollout.old, nextRevision(rollout.old, keys), keys)
  rollout.newest = newest
  progress(rollout, {
    ...{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetCreated' },
    message: `Created new replica set "${newest.name}"`,
  })
  return newest
}

/** New pods are made when no old one is left. */
function recreate(rollout: Rollout): void {
  const { observed, old } = rollout
  const { deployment, keys, hasPods } = observed
  const active = activeOf(old)
  for (const set of active) scaleTo(set, 0, deployment, keys)
  const isWaiting = oldPods(old) > 0 || old.some(({ stored }) => stored && hasPods(stored))
  if (active.length > 0 || isWaiting) return
  scaleTo(createNewest(rollout), replicasOf(deployment), deployment, keys)
}

/** The oldest sets without pods go, beyond the number that is kept. */
function cleanUp(rollout: Rollout): void {
  const { observed, old } = rollout
  const limit = historyLimitOf(observed.deployment)
  if (limit === undefined) return
  const stored = old.flatMap((set) => set.stored ?? [])
  const staying = stored.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const revision = (set: Stored<ReplicaSet>) => revisionOf(set, observed.keys) ?? 0
  const oldest = [...staying].sort((one, other) => revision(one) - revision(other))
  rollout.deletions = oldest.slice(0, Math.max(0, oldest.length - limit)).filter(isEmpty)
}

function isEmpty({ metadata, spec, status }: Stored<ReplicaSet>): boolean {
  const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  return isObserved && (spec?.replicas ?? 1) === 0 && (status?.replicas ?? 0) === 0
}

function planOf(rollout: Rollout, statusOf: typeof countedStatus): DeploymentPlan {
  const { observed, now, old, newest, conditions, deletions } = rollout
  const { deployment, keys } = observed
  const all = newest === undefined ? old : [newest, ...old]
  const status = statusOf({ deployment, newest, all, conditions, now })
  const { annotations: before = {} } = deployment.metadata
  const annotations = annotationsOfDeployment(before, newest?.annotations ?? {}, keys)
  const isSame = deepEqual(shown(deployment.status), shown(status))
  const isChanging = !isSame || !deepEqual(before, annotations)
  return {
    writes: all.filter((set) => isChanged(set) && !deletions.includes(set.stored as never)),
    ...{ deletions, status, annotations, isChanged: isChanging },
    checkMs:
      isChanging || statusOf === countedStatus ? undefined : nextCheckMs(deployment, status, now),
  }
}

/** A status with its counts, of which servers leave out those of none. */
function shown(status: DeploymentStatus = {}): DeploymentStatus {
  const none = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 }
  return { ...none, unavailableReplicas: 0, observedGeneration: 0, conditions: [], ...status }
}
