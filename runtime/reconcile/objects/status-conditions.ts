import { timestamp } from '../../kernel/async/clock.ts'
import type { WantedCondition } from '../../kernel/meta/condition-reasons.ts'

/** The part of a condition that the helpers rely on. */
export interface ConditionLike {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string | null
}

/** The condition of one type, if it is there. */
export function conditionOf<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): C | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/**
 * The conditions with one of them set. `lastTransitionTime` moves only when the status does; if nothing changes, the
 * same list comes back. The types, statuses and reasons that the condition's type declares are the only ones that
 * compile; where its schema says `x-orch-condition-reasons`, only the reasons of that type.
 */
export function setCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  wanted: WantedCondition<C>,
  now: number,
): readonly C[] {
  const { type, status } = wanted as unknown as ConditionLike
  const list = conditions ?? []
  const known = conditionOf(list, type)
  const since = known?.status === status ? known.lastTransitionTime : timestamp(now)
  const next = { ...known, ...(wanted as object), lastTransitionTime: since } as unknown as C
  if (known === undefined) return [...list, next]
  if (sameFields(known, next)) return list
  return list.map((condition) => (condition === known ? next : condition))
}

function sameFields<C extends object>(one: C, other: C): boolean {
  return Object.keys(other).every((key) => one[key as keyof C] === other[key as keyof C])
}
