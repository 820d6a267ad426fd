/** The difference of two values, as sets of fields. */

import { addWork, runToCompletion, type Steps, takeWork } from '../../kernel/async/slices.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import {
  type FieldSet,
  fieldSetOf,
  isEmpty,
  leaf,
  noFields,
  union,
} from '../field-set/field-set.ts'
import { fieldElement } from '../field-set/path-element.ts'
import { everyFieldSteps } from './collect-fields.ts'
import {
  DuplicateItems,
  fieldShape,
  formOf,
  hasSameScalars,
  indexItems,
  isScalar,
  itemShape,
  own,
} from './merge-shape.ts'

/**
 * The fields that only the new value has, those that both have with different values, and those that only the old one
 * has.
 */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** The comparison of equal values. */
export const noDifference: Comparison = { added: noFields, modified: noFields, removed: noFields }

/** Compares two values of one type. Absent and `undefined` are the same; `null` is a value. */
export function compare(before: Json, after: Json, merge: MergeStrategy | undefined): Comparison {
  return runToCompletion(compareSteps(before, after, merge))
}

/** `compare` in steps. */
export function* compareSteps(
  before: Json,
  after: Json,
  merge: MergeStrategy | undefined,
): Steps<Comparison> {
  const found = yield* compareNodes(before, after, merge)
  return found === undefined ? noDifference : { ...noDifference, ...found }
}

/** The comparison of those fields only that `restrict` leaves of a set. */
export function restrictComparison(
  comparison: Comparison,
  restrict: (fields: FieldSet) => FieldSet,
): Comparison {
  if (comparison === noDifference) return comparison
  const { added, modified, removed } = comparison
  return { added: restrict(added), modified: restrict(modified), removed: restrict(removed) }
}

/** The fields that have a value now that they did not have before. */
export function changedFields({ added, modified }: Comparison): FieldSet {
  return union(modified, added)
}

/** True if nothing differs. */
export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed)
}

/** A difference, or undefined for none: most comparisons find nothing, and nothing is allocated for them. */
type Found = Partial<Comparison> | undefined
type Value = Json | DuplicateItems | undefined

/** The difference of two values that one path leads to. */
function* compareNodes(
  before: Value,
  after: Value,
  merge: MergeStrategy | undefined,
): Steps<Found> {
  if (before === after) return undefined
  if (before === undefined) return { added: yield* fieldsOf(after!, merge) }
  if (after === undefined) return { removed: yield* fieldsOf(before, merge) }
  if (before instanceof DuplicateItems || after instanceof DuplicateItems) {
    if (before instanceof DuplicateItems === after instanceof DuplicateItems)
      return deepEqual(before, after) ? undefined : { modified: leaf }
    return { removed: yield* fieldsOf(before, merge), added: yield* fieldsOf(after, merge) }
  }
  const form = commonForm(before, after, merge)
  if (form === 'object') {
    return yield* compareObjects((before ?? {}) as JsonObject, (after ?? {}) as JsonObject, merge)
  }
  if (form === 'list') {
    const [old, now] = [before ?? [], after ?? []]
    return yield* compareLists(old as readonly Json[], now as readonly Json[], merge!)
  }
  if (deepEqual(before, after)) return undefined
  return { modified: leaf, ...(yield* partsOf(before, after, merge)) }
}

/** The difference of two values that are not the same, if both are scalars or absent: most are, and they take no steps. */
function compareScalars(before: Value, after: Value): Found {
  if (!isScalar(before) || !isScalar(after)) return undefined
  if (before === undefined) return leafAdded
  return after === undefined ? leafRemoved : leafModified
}

/** True for two objects of the same scalars, which take no steps either. */
function areSameScalars(before: Value, after: Value): boolean {
  if (!isObject(before) || !isObject(after)) return false
  return hasSameScalars(before, after) && hasSameScalars(after, before)
}

const leafAdded: Found = { added: leaf }
const leafModified: Found = { modified: leaf }
const leafRemoved: Found = { removed: leaf }

/** The fields of an object in whose place something else stands now, or stood before: a value of any type may change its form. */
function* partsOf(before: Json, after: Json, merge: MergeStrategy | undefined): Steps<Found> {
  const [one, other] = [formOf(before, merge), formOf(after, merge)]
  if (one === other || before === null || after === null) return undefined
  if (one === 'object') return yield* compareObjects(before as JsonObject, {}, merge)
  return other === 'object' ? yield* compareObjects({}, after as JsonObject, merge) : undefined
}

/** Every field of a value. */
function* fieldsOf(
  value: Json | DuplicateItems,
  merge: MergeStrategy | undefined,
): Steps<FieldSet> {
  return value instanceof DuplicateItems ? leaf : yield* everyFieldSteps(value, merge)
}

/** Null stands for an empty object or list beside a filled one; two empty ones are compared as they are. */
function commonForm(before: Json, after: Json, merge: MergeStrategy | undefined) {
  if (!hasParts(before) && !hasParts(after)) return 'leaf'
  const [one, other] = [formOf(before, merge), formOf(after, merge)]
  if (one === other || after === null) return one
  return before === null ? other : 'leaf'
}

/** Whether a value is an object or list that is not empty. */
function hasParts(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const _ in value) return true
  return false
}

type Parts = Record<string, FieldSet>

/** Collects what parts differ in. Most find one thing only: nothing is allocated for the others. */
class ComparisonBuilder {
  #added: Parts | undefined
  #modified: Parts | undefined
  #removed: Parts | undefined

  note(element: string, found: Found): void {
    if (found === undefined) return
    this.#added = put(this.#added, element, found.added)
    this.#modified = put(this.#modified, element, found.modified)
    this.#removed = put(this.#removed, element, found.removed)
  }

  result(): Found {
    const found: { -readonly [K in keyof Comparison]?: FieldSet } = {}
    if (this.#added !== undefined) found.added = fieldSetOf(this.#added, false)
    if (this.#modified !== undefined) found.modified = fieldSetOf(this.#modified, false)
    if (this.#removed !== undefined) found.removed = fieldSetOf(this.#removed, false)
    for (const _ in found) return found
    return undefined
  }
}

function put(parts: Parts | undefined, element: string, node: FieldSet | undefined) {
  if (node === undefined) return parts
  const all = parts ?? {}
  all[element] = node
  return all
}

/** The difference of two objects, property by property. */
function* compareObjects(
  before: JsonObject,
  after: JsonObject,
  merge: MergeStrategy | undefined,
): Steps<Found> {
  const findings = new ComparisonBuilder()
  const [names, others] = [Object.keys(before), Object.keys(after)]
  for (const name of names) {
    if (addWork(1)) yield takeWork()
    const [old, now] = [before[name], own(after, name)]
    if (old === now || areSameScalars(old, now)) continue
    const found =
      compareScalars(old, now) ?? (yield* compareNodes(old, now, fieldShape(merge, name)))
    if (found !== undefined) findings.note(fieldElement(name), found)
  }
  for (const name of others) {
    if (addWork(1)) yield takeWork()
    if (Object.hasOwn(before, name) || after[name] === undefined) continue
    const now = after[name]
    const found =
      compareScalars(undefined, now) ??
      (yield* compareNodes(undefined, now, fieldShape(merge, name)))
    findings.note(fieldElement(name), found)
  }
  return findings.result()
}

/**
 * The difference of two lists whose items are fields: items are compared by their path elements, their order does not
 * count.
 */
function* compareLists(
  before: readonly Json[],
  after: readonly Json[],
  merge: MergeStrategy,
): Steps<Found> {
  if (deepEqual(before, after)) return undefined
  const old = indexItems(before, merge)
  if (addWork(before.length + 1)) yield takeWork()
  const now = indexItems(after, merge)
  if (addWork(after.length + 1)) yield takeWork()
  const shape = itemShape(merge)
  const findings = new ComparisonBuilder()
  for (const [element, item] of old) {
    if (addWork(1)) yield takeWork()
    const other = now.get(element)
    if (item === other || areSameScalars(item, other)) continue
    const found = compareScalars(item, other) ?? (yield* compareNodes(item, other, shape))
    findings.note(element, found)
  }
  for (const [element, item] of now) {
    if (addWork(1)) yield takeWork()
    if (old.has(element)) continue
    const found = compareScalars(undefined, item) ?? (yield* compareNodes(undefined, item, shape))
    findings.note(element, found)
  }
  return findings.result()
}
