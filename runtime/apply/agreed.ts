import type { JsonObject } from '../kernel/json.ts'
import type { Merge } from '../kernel/kind.ts'
import { statedFields } from './collect.ts'
import { compare, written } from './compare.ts'
import { difference, type FieldSet, union } from './field-set.ts'

/**
 * The fields that an earlier configuration states and that the live object still holds with those values: what a client
 * that applied on its own side until now may take over without a conflict (supplement A-18).
 */
export function agreedFields(earlier: JsonObject, live: JsonObject, merge: Merge): FieldSet {
  const comparison = compare(earlier, live, merge)
  const changed = union(written(comparison), comparison.removed)
  return difference(statedFields(earlier, merge, []), changed)
}
