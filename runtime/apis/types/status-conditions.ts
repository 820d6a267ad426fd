import { changeAll } from '../strategy/change.ts'

interface Condition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
}

/** The status with one condition set. The time of its transition moves only if its status changes. */
export function withCondition<S extends { readonly conditions?: readonly Condition[] | null }>(
  status: S,
  condition: Condition,
  now: string,
): S {
  const conditions = status.conditions ?? []
  const old = conditions.find(({ type }) => type === condition.type)
  const since = old?.status === condition.status ? {} : { lastTransitionTime: now }
  const next = { ...old, ...condition, ...since }
  if (old === undefined) return { ...status, conditions: [...conditions, next] }
  return { ...status, conditions: changeAll(conditions, (one) => (one === old ? next : one)) }
}
