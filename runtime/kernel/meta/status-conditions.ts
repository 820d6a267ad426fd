import { timestamp } from '../async/clock.ts'
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
