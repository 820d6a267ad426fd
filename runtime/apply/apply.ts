/**
 * Apply: who manages which field, and how values merge.
 *
 * A set of fields is a tree in the form in which it is written; all knowledge of a kind comes in as its `Merge` facts. The
 * room knows paths, sets and managers, neither revisions nor requests.
 *
 * Laws, held by `test/runtime/apply/laws.test.ts`:
 *  1. Reading a set that was written gives the set, and writing it gives the same bytes.
 *  2. Sets form an algebra: union and intersection are commutative, associative and idempotent; difference undoes union of
 *     disjoint sets.
 *  3. A value compared with itself has no differences; merging a value with itself gives that very value.
 *  4. Applying the same configuration twice changes nothing the second time, not even a timestamp.
 *  5. Appliers of disjoint configurations may come in any order: the object and what each manages are the same.
 *  6. A write changes nothing that it does not change: what others manage stays theirs, identical.
 */
export { agreedFields } from './agreed.ts'
export { blankOf } from './blank.ts'
export { ancientChanges, capped, maxWriters } from './cap.ts'
export { everyField, statedFields } from './collect.ts'
export { type Comparison, compare, isSame } from './compare.ts'
export { type Conflict, type Conflicts, describeConflicts } from './conflicts.ts'
export { compareElements, keyElement, printElement } from './elements.ts'
export {
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  noFields,
  printFields,
  sameFields,
  setOf,
  setOfFields,
  union,
  within,
  without,
} from './field-set.ts'
export { readFieldsV1 } from './fields-v1.ts'
export { applyJsonPatch, type Operation, parseJsonPatch, unknownParts } from './json-patch.ts'
export {
  type ManagedFieldsRecord,
  type Manager,
  type Managers,
  managersOf,
  readManagers,
  recordsOf,
} from './managers.ts'
export { mergeConfig, withoutFields } from './merge.ts'
export { type Applied, type Apply, applyConfig, beforeFirstApply } from './server-side.ts'
export { strategicMerge } from './strategic.ts'
export { trackWrite, unmanaged, type Writer } from './track.ts'
export type { View, Views } from './views.ts'
