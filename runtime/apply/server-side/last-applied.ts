/** From client-side to server-side apply. */
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { difference, type FieldSet, union } from '../field-set/field-set.ts'
import { statedFields } from '../typed/collect-fields.ts'
import { changedFields, compare } from '../typed/compare.ts'

/**
 * The fields that an earlier configuration states and that the live object still holds with the same values: a client
 * that applied on its own side until now may take them over without a conflict (supplement A-18).
 */
export function lastAppliedFields(
  earlier: JsonObject,
  live: JsonObject,
  merge: MergeStrategy,
): FieldSet {
  const comparison = compare(earlier, live, merge)
  const changed = union(changedFields(comparison), comparison.removed)
  return difference(statedFields(earlier, merge, []), changed)
}
