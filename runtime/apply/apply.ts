/**
 * Apply: who manages which field, and how values merge.
 *
 * A set of fields is a tree in the form in which it is written; all knowledge of a kind comes in as its `Merge` facts. The
 * module knows paths, sets and managers, neither revisions nor requests.
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
} from './field-set/field-set.ts'
export { readFieldsV1 } from './field-set/fields-v1.ts'
export {
  compareElements,
  fieldElement,
  keyElement,
  keysOfElement,
  printElement,
  valueElement,
} from './field-set/path-element.ts'
export { ancientChanges, capManagers, maxWriters } from './managers/cap-managers.ts'
export { type Conflict, type Conflicts, describeConflicts } from './managers/conflicts.ts'
export {
  type ManagedFieldsRecord,
  type Manager,
  type Managers,
  managersOf,
  readManagers,
  recordsOf,
} from './managers/managers.ts'
export {
  type FieldWriter,
  trackSteps,
  trackWrite,
  unmanagedFields,
} from './managers/track-write.ts'
export type { VersionView, VersionViews } from './managers/versioned-views.ts'
export { type JsonPatchOperation, parseJsonPatch, unknownFields } from './patch/json-patch.ts'
export { applyJsonPatch, jsonPatchSteps } from './patch/json-patch-apply.ts'
export { goText } from './patch/strategic-errors.ts'
export { strategicMerge, strategicMergeSteps } from './patch/strategic-merge.ts'
export {
  type ApplyRequest,
  type ApplyResult,
  applyConfig,
  applySteps,
  beforeFirstApply,
  mergedByApply,
} from './server-side/apply-config.ts'
export { lastAppliedFields } from './server-side/last-applied.ts'
export { readerProblems } from './server-side/merge-problems.ts'
export { typeMismatch } from './server-side/type-words.ts'
export { everyField, statedFields } from './typed/collect-fields.ts'
export { type Comparison, compare, isSame } from './typed/compare.ts'
export { emptyObjectOf } from './typed/empty-object.ts'
export { mergeConfig, withoutFields } from './typed/merge.ts'
export { unidentifiedItem } from './typed/merge-shape.ts'
