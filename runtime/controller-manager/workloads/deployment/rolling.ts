import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  activeOf,
  availableIn,
  mostPods,
  type PlannedSet,
  scaleTo,
  sizeOf,
} from './planned-sets.ts'
import type { RevisionKeys } from './revisions.ts'
import { isRolling, maxSurge, maxUnavailable, replicasOf } from './rollout-limits.ts'

/** The sets of a deployment, the one of its present template apart. */
export interface SetsOfRollout {
  readonly deployment: Stored<Deployment>
  readonly keys: RevisionKeys
  readonly newest: PlannedSet
  /** Oldest first. */
  readonly old: readonly PlannedSet[]
}

/** Takes one step of a rollout: gives the newest set as many pods as there may be, and old ones as few as there must be. */
export function roll(sets: SetsOfRollout): void {
  const { deployment, keys, newest, old } = sets
  scaleTo(newest, newSize(deployment, newest, [...old, newest]), deployment, keys)
  const active = activeOf(old)
  if (active.length === 0) return
  const wanted = replicasOf(deployment)
  const least = wanted - maxUnavailable(deployment)
  const starting = newest.replicas - availableIn(newest)
  const most = sizeOf([...old, newest]) - least - starting
  if (most <= 0) return
  scaleDownUnhealthy(sets, active, most)
  scaleDown(sets, active, least)
}

/** The size that the newest set may have now: no pod comes for one that an old set still has, or may have since its size was not seen yet. */
export function newSize(
  deployment: Stored<Deployment>,
  { replicas }: PlannedSet,
  all: readonly PlannedSet[],
): number {
  const wanted = replicasOf(deployment)
  if (!isRolling(deployment) || replicas >= wanted) return wanted
  const room = wanted + maxSurge(deployment) - mostPods(all)
  return room <= 0 ? replicas : replicas + Math.min(room, wanted - replicas)
}

/** Pods that are not available are no loss: old sets lose them first. */
function scaleDownUnhealthy(
  { deployment, keys }: SetsOfRollout,
  old: readonly PlannedSet[],
  most: number,
): void {
  let left = most
  for (const set of old) {
    const unhealthy = set.replicas - availableIn(set)
    if (left <= 0 || set.replicas === 0 || unhealthy <= 0) continue
    const count = Math.min(left, unhealthy)
    scaleTo(set, set.replicas - count, deployment, keys)
    left -= count
  }
}

/** Old sets lose pods as long as enough are available. */
function scaleDown(
  { deployment, keys, newest }: SetsOfRollout,
  old: readonly PlannedSet[],
  least: number,
): void {
  const available = [...old, newest].reduce((sum, set) => sum + availableIn(set), 0)
  let left = available - least
  for (const set of old) {
    if (left <= 0) return
    const count = Math.min(left, set.replicas)
    if (count === 0) continue
    scaleTo(set, set.replicas - count, deployment, keys)
    left -= count
  }
}
