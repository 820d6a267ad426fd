import { timestamp } from '../async/clock.ts'
import { changeAll } from '../values/change.ts'
import { deepEqual } from '../values/deep-equal.ts'

/** A condition of an object's status. */
export interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

/**
 * The conditions with `condition` in place of the one of its type, or appended. `lastTransitionTime` changes only with the
 * status. Gives the same list if nothing changes. `now` is in milliseconds since the epoch.
 */
export function upsertCondition(
  conditions: readonly Condition[],
  condition: Condition,
  now: number,
): readonly Condition[] {
  const before = conditions.find(({ type }) => type === condition.type)
  const lastTransitionTime =
    before !== undefined && before.status === condition.status
      ? (before.lastTransitionTime ?? null)
      : timestamp(now)
  const { type, status, reason, message } = condition
  const next = {
    type,
    status,
    lastTransitionTime,
    ...(reason && { reason }),
    ...(message && { message }),
  }
  if (before === undefined) return [...conditions, next]
  if (deepEqual(before, next)) return conditions
  return conditions.map((one) => (one === before ? next : one))
}

interface LooseCondition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
}

/**
 * The status with one condition set, and whatever else the one before had. The time of its transition moves only if its
 * status changes.
 */
export function withCondition<S extends { readonly conditions?: readonly LooseCondition[] | null }>(
  status: S,
  condition: LooseCondition,
  now: string,
): S {
  const conditions = status.conditions ?? []
  const old = conditions.find(({ type }) => type === condition.type)
  const since = old?.status === condition.status ? {} : { lastTransitionTime: now }
  const next = { ...old, ...condition, ...since }
  if (old === undefined) return { ...status, conditions: [...conditions, next] }
  return { ...status, conditions: changeAll(conditions, (one) => (one === old ? next : one)) }
}
