/** Conditions as statuses hold them. */
import { changeAll } from '../strategy/change.ts'
import type { Condition, List } from './shapes.ts'

interface WithConditions {
  readonly conditions?: List<Condition>
}

/** The status with one condition set. The time of its transition moves only if its status changes. */
export function withCondition<S extends WithConditions>(
  status: S,
  condition: Condition & { readonly message?: string },
  now: string,
): S {
  const conditions = status.conditions ?? []
  const old = conditions.find(({ type }) => type === condition.type)
  const since = old?.status === condition.status ? {} : { lastTransitionTime: now }
  const next = { ...old, ...condition, ...since }
  if (old === undefined) return { ...status, conditions: [...conditions, next] }
  return { ...status, conditions: changeAll(conditions, (one) => (one === old ? next : one)) }
}
