/**
 * Functions on lists whose items have an order or a sum: `isSorted`, `min`, `max`, `sum`, `indexOf`, `lastIndexOf`.
 * Each reads its list once and is charged for that.
 */

import { addRange, exactly, multiplyRange, scaleRange } from '../cost/ranges.ts'
import type {
  ArgumentEstimate,
  CallEstimate,
  FunctionDeclaration,
  Library,
} from '../functions/functions.ts'
import { method } from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  type Type,
  timestampType,
  typeParameter,
  uintType,
} from '../types/types.ts'
import {
  isList,
  isMap,
  itemAt,
  itemsOf,
  keysOf,
  lengthOf,
  lookup,
  sizeOfMap,
} from '../values/collections.ts'
import { equals } from '../values/equality.ts'
import {
  CelError,
  Double,
  Duration,
  fail,
  type List,
  ObjectView,
  type Result,
  Uint,
  type Value,
} from '../values/values.ts'
import { elementTypeOf } from './estimates.ts'
import { add, compare } from './order.ts'

/** The types that have a sum, with the sum of no items. */
const summable: readonly (readonly [Type, Value])[] = [
  [intType, 0],
  [uintType, new Uint(0n)],
  [doubleType, new Double(0)],
  [durationType, new Duration(0n)],
]
/** The types that have an order. */
const comparable: readonly Type[] = [
  intType,
  uintType,
  doubleType,
  boolType,
  durationType,
  timestampType,
  stringType,
  bytesType,
]

/** Reading an item takes longer than the cost of an empty string in it says. */
const stepsPerItem = 8

/**
 * The cost of reading a whole value: 1, for strings and bytes a tenth of their bytes, for lists and maps the sum of
 * their members.
 */
export function walkCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * 0.1)
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1)
  if (isList(value)) return listCost(value)
  if (isMap(value)) {
    let cost = 0
    spendSteps(stepsPerItem * sizeOfMap(value))
    for (const key of keysOf(value)) cost += walkCost(key) + resultCost(lookup(value, key))
    return cost
  }
  return value instanceof ObjectView ? Math.max(1, Object.keys(value.raw).length) : 1
}

/** Items that are errors count as 1: reading them is what finds the error. */
function listCost(list: List): number {
  spendSteps(stepsPerItem * lengthOf(list))
  let cost = 0
  for (let index = 0; index < lengthOf(list); index++) cost += resultCost(itemAt(list, index))
  return cost
}

function resultCost(result: Result | undefined): number {
  return result === undefined || result instanceof CelError ? 1 : walkCost(result)
}

/** The worst case of reading a list: its items times the price of the longest. */
function estimate(list: ArgumentEstimate): CallEstimate {
  const { kind } = elementTypeOf(list)
  const text = kind === 'string' || kind === 'bytes'
  const each = text ? addRange(exactly(1), scaleRange(list.items, 0.1)) : exactly(1)
  return { cost: multiplyRange(list.size, each) }
}

const walking = { cost: walkCost, estimate }

/** Equal neighbours are in order; an empty list is sorted. */
function isSorted(list: List): Result {
  const items = itemsOf(list)
  if (items instanceof CelError) return items
  for (let index = 1; index < items.length; index++) {
    const order = compare(items[index - 1]!, items[index]!)
    if (order instanceof CelError) return order
    if (order > 0) return false
  }
  return true
}

/** `min` with sign 1, `max` with sign -1: the first item that no other item precedes. */
function extreme(name: string, sign: 1 | -1) {
  return (list: List): Result => {
    const items = itemsOf(list)
    if (items instanceof CelError) return items
    let found = items[0]
    if (found === undefined) return fail(`${name} called on empty list`)
    for (const item of items) {
      const order = compare(found, item)
      if (order instanceof CelError) return order
      if (order * sign > 0) found = item
    }
    return found
  }
}

/**
 * The first item begins the sum, so that a sum of one is that item and no zero of another type is
 * added.
 */
function summing(zero: Value) {
  return (list: List): Result => {
    const items = itemsOf(list)
    if (items instanceof CelError) return items
    let total: Result = items.length === 0 ? zero : items[0]!
    for (const item of items.slice(1)) {
      total = add(total, item)
      if (total instanceof CelError) return total
    }
    return total
  }
}

/** The index of the first item that equals the value, from `from` in steps of `step`; -1 if there is none. */
function position(list: List, item: Value, from: number, step: 1 | -1): Result {
  for (let index = from; index >= 0 && index < lengthOf(list); index += step) {
    const other = itemAt(list, index)
    if (!(other instanceof CelError) && equals(other, item)) return index
  }
  return -1
}

/** A function with an overload for every type that has an order. */
function ordered(
  name: string,
  suffix: string,
  result: (item: Type) => Type,
  call: (list: List) => Result,
): FunctionDeclaration {
  return {
    name,
    overloads: comparable.map((item) =>
      method(`list_${item.kind}_${suffix}`, [listType(item)], result(item), call, walking),
    ),
  }
}

const any = typeParameter('A')

/** The library of lists. */
export const listsLibrary: Library = {
  name: 'lists',
  functions: [
    ordered('isSorted', 'is_sorted_bool', () => boolType, isSorted),
    ordered('min', 'min', (item) => item, extreme('min', 1)),
    ordered('max', 'max', (item) => item, extreme('max', -1)),
    {
      name: 'sum',
      overloads: summable.map(([item, zero]) =>
        method(`list_${item.kind}_sum`, [listType(item)], item, summing(zero), walking),
      ),
    },
    {
      name: 'indexOf',
      overloads: [
        method(
          'list_a_index_of_int',
          [listType(any), any],
          intType,
          (list, item) => position(list, item, 0, 1),
          walking,
        ),
      ],
    },
    {
      name: 'lastIndexOf',
      overloads: [
        method(
          'list_a_last_index_of_int',
          [listType(any), any],
          intType,
          (list, item) => position(list, item, lengthOf(list) - 1, -1),
          walking,
        ),
      ],
    },
  ],
}
