import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { activeOf, availableIn, type PlannedSet, resize, scaleTo, sizeOf } from './planned-sets.ts'
import { numberIn, type RevisionKeys } from './revisions.ts'
import { isRolling, maxSurge, replicasOf } from './rollout-limits.ts'

/** The sets of a deployment, whose newest one may be missing. */
export interface SetsOfScaling {
  readonly deployment: Stored<Deployment>
  readonly keys: RevisionKeys
  readonly newest: PlannedSet | undefined
  /** Oldest first. */
  readonly old: readonly PlannedSet[]
}

/**
 * Brings the sets to another size of their deployment: the only one that has pods, or the newest, gets all of them; several get parts
 * of the difference as large as they are, so that a rollout goes on where it was.
 */
export function scaleSets({ deployment, keys, newest, old }: SetsOfScaling): void {
  const all = newest === undefined ? old : [...old, newest]
  const active = activeOf(all)
  const wanted = replicasOf(deployment)
  const only = active.length === 1 ? active[0] : active.length === 0 ? all.at(-1) : undefined
  if (only !== undefined) scaleTo(only, wanted, deployment, keys)
  else if (newest !== undefined && isSaturated(newest, wanted, keys))
    for (const set of activeOf(old)) scaleTo(set, 0, deployment, keys)
  else if (active.length > 1 && isRolling(deployment)) scaleInProportion(active, deployment, keys)
}

/** True for a set that has all pods that its deployment asks for. */
function isSaturated(set: PlannedSet, wanted: number, { desired }: RevisionKeys): boolean {
  const told = numberIn(set.annotations[desired])
  return set.replicas === wanted && told === wanted && availableIn(set) === wanted
}

function scaleInProportion(
  sets: readonly PlannedSet[],
  deployment: Stored<Deployment>,
  keys: RevisionKeys,
): void {
  const wanted = replicasOf(deployment)
  const most = wanted > 0 ? wanted + maxSurge(deployment) : 0
  const change = most - sizeOf(sets)
  const order = change > 0 ? largestAndNewest(sets) : largestAndOldest(sets)
  let left = change
  const parts = order.map((set) => {
    const part = change === 0 ? 0 : within(left, shareOf(set, deployment, keys))
    left -= part
    return part
  })
  for (const [index, set] of order.entries()) {
    const rest = index === 0 ? left : 0
    resize(set, Math.max(0, set.replicas + parts[index]! + rest), deployment, keys)
  }
}

/** A share that has the sign of what is left, and is no more than it. */
function within(left: number, share: number): number {
  return left > 0 ? Math.min(share, left) : left < 0 ? Math.max(share, left) : 0
}

/** How much a set grows if it keeps its part of the whole. */
function shareOf(
  { replicas, annotations }: PlannedSet,
  deployment: Stored<Deployment>,
  { max }: RevisionKeys,
): number {
  const wanted = replicasOf(deployment)
  if (wanted === 0) return -replicas
  const before = numberIn(annotations[max]) ?? deployment.status?.replicas ?? 0
  const size = (replicas * (wanted + maxSurge(deployment))) / before
  return Math.trunc(size + 0.5) - replicas
}

/** Sets are given oldest first: a stable order keeps them so where sizes are equal. */
function largestAndOldest(sets: readonly PlannedSet[]): readonly PlannedSet[] {
  return [...sets].sort((one, other) => other.replicas - one.replicas)
}

function largestAndNewest(sets: readonly PlannedSet[]): readonly PlannedSet[] {
  return [...sets].reverse().sort((one, other) => other.replicas - one.replicas)
}
