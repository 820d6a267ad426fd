import { isObject } from '../kernel/values/json.ts'

/** True if two JSON values are the same; an absent property and an undefined one are. */
export function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => equal(item, other[index]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) => equal(one[key], other[key]))
}
