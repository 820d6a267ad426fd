/** How a value takes part in merging: the merge facts of a kind, with the defaults of what they leave out. */

import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { keyElement, valueElement } from '../field-set/path-element.ts'

type Fact = MergeStrategy | (() => MergeStrategy)

/** Facts below recursive types, which are functions, each called once. */
const resolved = new WeakMap<() => MergeStrategy, MergeStrategy>()

function resolve(fact: Fact | undefined): MergeStrategy | undefined {
  if (typeof fact !== 'function') return fact
  let merge = resolved.get(fact)
  if (merge === undefined) {
    merge = fact()
    resolved.set(fact, merge)
  }
  return merge
}

/** The facts of a property of an object, or of an entry of a map. */
export function fieldShape(
  merge: MergeStrategy | undefined,
  name: string,
): MergeStrategy | undefined {
  if (merge === undefined) return undefined
  const { fields } = merge
  if (fields !== undefined && Object.hasOwn(fields, name)) return resolve(fields[name])
  return merge.items === undefined || isList(merge) ? undefined : resolve(merge.items)
}

function isList(merge: MergeStrategy): boolean {
  return merge.list !== undefined || merge.patchKey !== undefined
}

/** The facts of the items of a list. */
export function itemShape(merge: MergeStrategy | undefined): MergeStrategy | undefined {
  return merge && resolve(merge.items)
}

/** True for an object that is replaced as a whole. */
export function isAtomicObject(merge: MergeStrategy | undefined): boolean {
  return merge?.map === 'atomic'
}

/** True for the name of an entry of a map whose values are objects: such entries are fields of their own. */
export function isEntry(merge: MergeStrategy | undefined, name: string): boolean {
  if (merge?.map !== 'granular') return false
  return merge.fields === undefined || !Object.hasOwn(merge.fields, name)
}

/** How a list merges. Without a list type, a patch strategy of `merge` decides (A2.41). */
export function listType(merge: MergeStrategy | undefined): 'atomic' | 'set' | 'map' {
  if (merge === undefined) return 'atomic'
  if (merge.list !== undefined) return merge.list
  if (merge.patch?.includes('merge') !== true) return 'atomic'
  return merge.patchKey === undefined ? 'set' : 'map'
}

const sortedKeys = new WeakMap<MergeStrategy, readonly string[]>()

/** The key properties of a map list, sorted by name. */
export function listKeys(merge: MergeStrategy): readonly string[] {
  let keys = sortedKeys.get(merge)
  if (keys === undefined) {
    keys = [...(merge.keys ?? (merge.patchKey === undefined ? [] : [merge.patchKey]))].sort()
    sortedKeys.set(merge, keys)
  }
  return keys
}

/** The value of a key property: the item's own, or the schema's default for it (supplement A-19). */
export function keyValue(item: JsonObject, name: string, merge: MergeStrategy): Json | undefined {
  const given = own(item, name)
  return given === undefined || given === null ? merge.defaults?.[name] : given
}

/**
 * Why an item of a list cannot be told from the others, by its key properties or, without those, by its value; undefined if it can.
 */
export function unidentifiedItem(
  item: Json,
  keys: readonly string[] | undefined,
  defaultOf: (key: string) => Json | undefined,
): string | undefined {
  if (keys === undefined) return unfitForSet(item)
  if (item === null) return 'associative list with keys may not have a null element'
  if (!isObject(item)) return 'associative list with keys may not have non-map elements'
  const missing = keys.find(
    (name) => own(item, name) === undefined && defaultOf(name) === undefined,
  )
  if (missing === undefined) return undefined
  const name = JSON.stringify(missing)
  return `associative list with keys has an element that omits key field ${name} (and doesn't have default value)`
}

function unfitForSet(item: Json): string | undefined {
  if (item === null) return "associative list without keys has an element that's an explicit null"
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements'
  return isObject(item)
    ? "associative list without keys has an element that's a map type"
    : undefined
}

/** The path element of an item of a set or map list. A missing key counts as null. */
export function itemElement(item: Json, merge: MergeStrategy): string {
  if (listType(merge) === 'set' || !isObject(item)) return valueElement(item)
  const keys: [string, Json][] = []
  for (const name of listKeys(merge)) keys.push([name, keyValue(item, name, merge) ?? null])
  return keyElement(keys)
}

/** True for an object of scalars only. */
export function hasScalarsOnly(value: Json): value is JsonObject {
  if (!isObject(value)) return false
  for (const name in value) if (!isScalar(value[name])) return false
  return true
}

/** True if an object has nothing but scalars, and another one the same ones, maybe with more. */
export function hasSameScalars(value: JsonObject, other: JsonObject): boolean {
  for (const name in value) {
    const part = value[name]
    if (!isScalar(part) || part !== own(other, name)) return false
  }
  return true
}

/** A property of an object, not one that it inherits. */
export function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Items with the same path element: they are one field, as a whole. */
export class DuplicateItems {
  readonly items: Json[]
  constructor(first: Json) {
    this.items = [first]
  }
}

/** The items of a set or map list by their path elements, in order. */
export function indexItems(
  list: readonly Json[],
  merge: MergeStrategy,
): ReadonlyMap<string, Json | DuplicateItems> {
  const index = new Map<string, Json | DuplicateItems>()
  for (const item of list) {
    const element = itemElement(item, merge)
    const known = index.get(element)
    if (known === undefined) {
      index.set(element, item)
      continue
    }
    const repeated = known instanceof DuplicateItems ? known : new DuplicateItems(known)
    repeated.items.push(item)
    index.set(element, repeated)
  }
  return index
}

/** True for what is one field under all facts and has nothing below it, so that it takes no steps; null may stand for an object. */
export function isScalar(
  value: Json | DuplicateItems | undefined,
): value is string | number | boolean | undefined {
  return typeof value !== 'object'
}

/** What a value is to a merge: one field, or an object or list whose parts are fields of their own. */
export type Form = 'leaf' | 'object' | 'list'

/** The form of a value under these facts; null and scalars are leaves. */
export function formOf(value: Json | undefined, merge: MergeStrategy | undefined): Form {
  if (Array.isArray(value)) return listType(merge) === 'atomic' ? 'leaf' : 'list'
  if (typeof value !== 'object' || value === null) return 'leaf'
  return isAtomicObject(merge) ? 'leaf' : 'object'
}
