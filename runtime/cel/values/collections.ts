/** Lists and maps in all their representations: raw JSON, views of it, and what expressions build. */
import { spendSteps } from '../limits/step-limit.ts'
import {
  adopt,
  CelError,
  Double,
  fail,
  type Int,
  type List,
  ListJoin,
  ListView,
  type MapEntry,
  type MapLike,
  MapValue,
  MapView,
  type Result,
  Uint,
  type Value,
} from './values.ts'

/** True for lists. */
export function isList(value: unknown): value is List {
  return Array.isArray(value) || value instanceof ListView || value instanceof ListJoin
}

/**
 * True for a plain object: raw JSON, or a map that a function built with string keys. Comparing the constructor is the
 * fast way, and no JSON text can make it true falsely; the prototype decides the rest.
 */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  if (value.constructor === Object) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** True for maps. */
export function isMap(value: unknown): value is MapLike {
  return value instanceof MapView || value instanceof MapValue || isPlain(value)
}

/** How many items a list has. */
export function lengthOf(list: List): number {
  return list instanceof ListView ? list.raw.length : list.length
}

/** The item at an index that is inside the list. */
export function itemAt(list: List, index: number): Result {
  let part = list
  let at = index
  while (part instanceof ListJoin) {
    spendSteps(1)
    const before = lengthOf(part.left)
    if (at < before) part = part.left
    else {
      at -= before
      part = part.right
    }
  }
  return part instanceof ListView ? part.read(part.raw[at]) : adopt(part[at])
}

/** All items, or the first error that reading one gives. */
export function itemsOf(list: List): readonly Value[] | CelError {
  const items: Value[] = []
  for (let index = 0; index < lengthOf(list); index++) {
    const item = itemAt(list, index)
    if (item instanceof CelError) return item
    items.push(item)
  }
  return items
}

/** How many entries a map has. */
export function sizeOfMap(map: MapLike): number {
  if (map instanceof MapValue) return map.entries.size
  return rawKeys(map instanceof MapView ? map.raw : map).length
}

/** The form of a key in which equal keys of all number types meet; undefined if it cannot be a key. */
export function mapKeyOf(key: Value): string | number | bigint | boolean | undefined {
  switch (typeof key) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'bigint':
      return key
  }
  if (key instanceof Uint) return narrow(key.value)
  if (key instanceof Double && Number.isInteger(key.value)) return narrow(BigInt(key.value))
  return undefined
}

/** A whole number in the one form that ints have. */
function narrow(value: bigint): Int {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** The value under a key; undefined if there is none. */
export function lookup(map: MapLike, key: Value): Result | undefined {
  if (map instanceof MapValue) {
    const form = mapKeyOf(key)
    return form === undefined ? undefined : map.entries.get(form)?.value
  }
  if (typeof key !== 'string') return undefined
  const view = map instanceof MapView
  const raw = ownOf(view ? map.raw : map, key)
  if (raw === undefined) return undefined
  return view ? map.read(raw) : adopt(raw)
}

/** What objects inherit is a function or the common prototype, never a JSON value: only these need a second look. */
function ownOf(raw: Readonly<Record<string, unknown>>, key: string): unknown {
  const value = raw[key]
  if (typeof value !== 'function' && value !== Object.prototype) return value
  return Object.hasOwn(raw, key) ? value : undefined
}

/** All keys, in the map's order. */
export function keysOf(map: MapLike): readonly Value[] {
  if (!(map instanceof MapValue)) return rawKeys(map instanceof MapView ? map.raw : map)
  spendSteps(listingSteps(map.entries.size))
  return [...map.entries.values()].map(({ key }) => key)
}

/** The steps of listing the keys of an object; each key of a large object takes longer. */
function listingSteps(size: number): number {
  return size * (size > largeMap ? 18 : 2)
}

const largeMap = 1000

function rawKeys(raw: Readonly<Record<string, unknown>>): readonly string[] {
  const keys = Object.keys(raw)
  spendSteps(listingSteps(keys.length))
  return keys
}

/**
 * A map of these entries. A later entry of an equal key replaces an earlier one; a key of a type that keys cannot have
 * is an error.
 */
export function mapOf(entries: readonly MapEntry[]): MapValue | CelError {
  const table = new Map<string | number | bigint | boolean, MapEntry>()
  for (const entry of entries) {
    const form = mapKeyOf(entry.key)
    if (form === undefined || entry.key instanceof Double) return fail('unsupported key type')
    table.set(form, entry)
  }
  return new MapValue(table)
}
