/** The difference of two values, as sets of fields. */

import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import {
  type FieldSet,
  fieldSetOf,
  isEmpty,
  leaf,
  noFields,
  union,
} from '../field-set/field-set.ts'
import { fieldElement } from '../field-set/path-element.ts'
import { everyField } from './collect-fields.ts'
import { DuplicateItems, fieldShape, formOf, indexItems, itemShape, own } from './merge-shape.ts'

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
  const found = compareNodes(before, after, merge)
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
function compareNodes(before: Value, after: Value, merge: MergeStrategy | undefined): Found {
  if (before === after) return undefined
  if (before === undefined) return { added: fieldsOf(after!, merge) }
  if (after === undefined) return { removed: fieldsOf(before, merge) }
  if (before instanceof DuplicateItems || after instanceof DuplicateItems) {
    if (before instanceof DuplicateItems === after instanceof DuplicateItems)
      return deepEqual(before, after) ? undefined : { modified: leaf }
    return { removed: fieldsOf(before, merge), added: fieldsOf(after, merge) }
  }
  const form = commonForm(before, after, merge)
  if (form === 'object') {
    return compareObjects((before ?? {}) as JsonObject, (after ?? {}) as JsonObject, merge)
  }
  if (form === 'list') {
    return compareLists((before ?? []) as readonly Json[], (after ?? []) as readonly Json[], merge!)
  }
  return deepEqual(before, after) ? undefined : { modified: leaf, ...partsOf(before, after, merge) }
}

/** The fields of an object in whose place something else stands now, or stood before: a value of any type may change its form. */
function partsOf(before: Json, after: Json, merge: MergeStrategy | undefined): Found {
  const [one, other] = [formOf(before, merge), formOf(after, merge)]
  if (one === other || before === null || after === null) return undefined
  if (one === 'object') return compareObjects(before as JsonObject, {}, merge)
  return other === 'object' ? compareObjects({}, after as JsonObject, merge) : undefined
}

/** Every field of a value. */
function fieldsOf(value: Json | DuplicateItems, merge: MergeStrategy | undefined): FieldSet {
  return value instanceof DuplicateItems ? leaf : everyField(value, merge)
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
function compareObjects(
  before: JsonObject,
  after: JsonObject,
  merge: MergeStrategy | undefined,
): Found {
  const findings = new ComparisonBuilder()
  for (const name of Object.keys(before)) {
    const [old, now] = [before[name], own(after, name)]
    if (old === now) continue
    const found = compareNodes(old, now, fieldShape(merge, name))
    if (found !== undefined) findings.note(fieldElement(name), found)
  }
  for (const name of Object.keys(after)) {
    if (Object.hasOwn(before, name) || after[name] === undefined) continue
    findings.note(fieldElement(name), compareNodes(undefined, after[name], fieldShape(merge, name)))
  }
  return findings.result()
}

/**
 * The difference of two lists whose items are fields: items are compared by their path elements, their order does not
 * count.
 */
function compareLists(
  before: readonly Json[],
  after: readonly Json[],
  merge: MergeStrategy,
): Found {
  if (deepEqual(before, after)) return undefined
  const [old, now] = [indexItems(before, merge), indexItems(after, merge)]
  const shape = itemShape(merge)
  const findings = new ComparisonBuilder()
  for (const [element, item] of old) {
    findings.note(element, compareNodes(item, now.get(element), shape))
  }
  for (const [element, item] of now) {
    if (!old.has(element)) findings.note(element, compareNodes(undefined, item, shape))
  }
  return findings.result()
}
