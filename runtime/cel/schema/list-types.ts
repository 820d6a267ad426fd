/**
 * Lists of type `set` and `map`, as api-server.md section 2 has them compare and concatenate: the order of items does
 * not matter, and `X + Y` keeps the positions of X and appends what is new in Y.
 */

import { spendSteps } from '../limits/step-limit.ts'
import { isList, isMap, itemAt, itemsOf, keysOf, lengthOf, lookup } from '../values/collections.ts'
import { equals } from '../values/equality.ts'
import {
  adopt,
  CelError,
  Double,
  Duration,
  type List,
  type ListRelation,
  ListView,
  MapValue,
  MapView,
  ObjectView,
  Timestamp,
  Uint,
  type Value,
} from '../values/values.ts'

/** Lists of type `set`: equal if they have the same items; a sum is the union. */
export const setRelation: ListRelation = relation(keyText, false)

/**
 * Lists of type `map`: items are identified by the properties `keys`; a sum takes the right side's item where both have
 * one.
 */
export function mapListRelation(keys: readonly string[]): ListRelation {
  return relation((item) => keys.map((key) => keyText(propertyOf(item, key))).join(), true)
}

/** Steps of looking up an item by its key. */
const stepsPerItem = 20
/** Steps of each part of a key, and how much of its text one more step writes. */
const stepsPerPart = 10
const charactersPerStep = 3

/** The text that identifies an item. */
type ItemKey = (item: Value) => string

/**
 * Equality and sum of lists whose items are identified by a key. `overwrite`: of two items with one key the later one
 * counts.
 */
function relation(keyOf: ItemKey, overwrite: boolean): ListRelation {
  const self: ListRelation = {
    equals(left, right) {
      if (lengthOf(left) !== lengthOf(right)) return false
      spendSteps(stepsPerItem * (lengthOf(left) + lengthOf(right)))
      const [a, b] = [itemsOf(left), itemsOf(right)]
      if (a instanceof CelError || b instanceof CelError) return false
      const known = new Map(a.map((item) => [keyOf(item), item]))
      return b.every((item) => {
        const other = known.get(keyOf(item))
        return other !== undefined && (!overwrite || equals(other, item))
      })
    },
    concat(left, right) {
      spendSteps(stepsPerItem * (lengthOf(left) + lengthOf(right)))
      const union: Union = { items: [], positions: new Map() }
      append(union, left, left === right, keyOf, overwrite)
      append(union, right, true, keyOf, overwrite)
      return new ListView(union.items, (item) => item as Value | CelError, self)
    },
  }
  return self
}

/** Items under construction, with the position of each key. */
interface Union {
  readonly items: (Value | CelError)[]
  readonly positions: Map<string, number>
}

/** Appends the items of a list. Those of the `second` list do not repeat a key: they replace its item or are left out. */
function append(
  { items, positions }: Union,
  list: List,
  second: boolean,
  keyOf: ItemKey,
  overwrite: boolean,
): void {
  for (let index = 0; index < lengthOf(list); index++) {
    const item = itemAt(list, index)
    const key = item instanceof CelError ? undefined : keyOf(item)
    const position = key === undefined || !second ? undefined : positions.get(key)
    if (position !== undefined) {
      if (overwrite) items[position] = item
      continue
    }
    if (key !== undefined) positions.set(key, items.length)
    items.push(item)
  }
}

function propertyOf(item: Value, property: string): Value {
  if (item instanceof MapValue) {
    const found = lookup(item, property)
    return found === undefined || found instanceof CelError ? null : found
  }
  const raw = item instanceof ObjectView || item instanceof MapView ? item.raw : item
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, property)) return null
  return adopt((raw as Readonly<Record<string, unknown>>)[property])
}

/** A text that two values have in common exactly if they are equal. Numbers of all types compare by value. */
function keyText(value: Value): string {
  spendSteps(stepsPerPart)
  if (typeof value === 'string') {
    spendSteps(Math.ceil(value.length / charactersPerStep))
    return JSON.stringify(value)
  }
  if (value === null || typeof value !== 'object') return String(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Double) return String(Object.is(value.value, -0) ? 0 : value.value)
  if (value instanceof Duration) return `d${value.nanos}`
  if (value instanceof Timestamp) return `t${value.nanos}`
  if (value instanceof Uint8Array) {
    spendSteps(Math.ceil(value.length / charactersPerStep))
    return `b${Buffer.from(value).toString('base64')}`
  }
  if (isList(value)) return listText(value)
  if (isMap(value)) {
    const entries = keysOf(value).map((key) => {
      const found = lookup(value, key)
      return `${keyText(key)}:${found === undefined || found instanceof CelError ? '?' : keyText(found)}`
    })
    return `{${entries.sort().join()}}`
  }
  return value instanceof ObjectView ? keyText(value.raw as Value) : '?'
}

function listText(list: List): string {
  const items = itemsOf(list)
  return items instanceof CelError ? '?' : `[${items.map(keyText).join()}]`
}
