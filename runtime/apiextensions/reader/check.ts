import type { Json } from '../../kernel/values/json.ts'
import type { ReadContext } from './read-context.ts'

/**
 * Checks a value and adds its errors to the context. It never changes the value and never throws:
 * what does not apply to the type of a value passes.
 */
export type Check = (value: Json, context: ReadContext) => void

/**
 * The work of going through so many names or values: short lists are free. Up to seven cost
 * nothing; the unit is that of `ReadContext.spend`.
 */
export function costOfMany(count: number): number {
  return count >> 3
}

/** True for the value of a keyword that is a number. */
export function isNumber(value: Json | undefined): value is number {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Joins checks for one JSON type into a check that skips values of other types. */
export function checkFor<T extends Json>(
  isType: (value: Json) => value is T,
  checks: readonly ((value: T, context: ReadContext) => void)[],
): readonly Check[] {
  if (checks.length === 0) return []
  return [
    (value, context) => {
      if (isType(value)) for (const check of checks) check(value, context)
    },
  ]
}
