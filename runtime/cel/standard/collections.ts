/** Indexing, membership and size. */
import { scaleRange } from '../cost/ranges.ts'
import { type FunctionDeclaration, method, overload } from '../functions/functions.ts'
import { codePoints } from '../syntax/source.ts'
import * as types from '../types/types.ts'
import { itemAt, lengthOf, lookup, sizeOfMap } from '../values/collections.ts'
import { equals, numberIn } from '../values/equality.ts'
import { typeOf } from '../values/value-type.ts'
import {
  CelError,
  fail,
  type List,
  type MapLike,
  type Result,
  type Value,
} from '../values/values.ts'

const { typeName } = types
const { boolType: bool, intType: int, stringType: string, bytesType: bytes, dynType: dyn } = types
const a = types.typeParameter('A')
const b = types.typeParameter('B')
const list = types.listType(a)
const map = types.mapType(a, b)
const optionalOf = types.optionalType

/** `list[index]`. The index may be any number without a fraction; outside the list it is an error. */
export function itemOf(items: List, index: Value): Result {
  const at = numberIn(index)
  if (typeof at === 'number' && Number.isInteger(at)) {
    if (at >= 0 && at < lengthOf(items)) return itemAt(items, at)
    return fail(`index out of bounds: ${at}`)
  }
  if (typeof at === 'number') return fail(`unsupported index value ${at} in list`)
  if (at === undefined) return fail(`unsupported index type '${typeName(typeOf(index))}' in list`)
  const small = Number(at)
  if (at >= 0n && small < lengthOf(items)) return itemAt(items, small)
  return fail(`index out of bounds: ${at}`)
}

/** `map[key]`; an error if there is no such key. */
export function entryOf(entries: MapLike, key: Value): Result {
  const found = lookup(entries, key)
  return found === undefined ? noSuchKey(key) : found
}

/** The error of a key or field that is absent. */
export function noSuchKey(key: Value): CelError {
  const inside = typeof key === 'object' && key !== null && 'value' in key ? key.value : key
  return fail(`no such key: ${String(inside)}`)
}

/** Whether some item equals the value. Items that are errors equal nothing. */
export function includes(items: List, value: Value): boolean {
  for (let index = 0; index < lengthOf(items); index++) {
    const item = itemAt(items, index)
    if (!(item instanceof CelError) && equals(item, value)) return true
  }
  return false
}

/** Strings count in characters, bytes in bytes; every `size` costs 1, whatever it counts. */
function sizes(declare: typeof overload | typeof method, prefix: string) {
  return [
    declare(`${prefix}_string`, [string], int, codePoints),
    declare(`${prefix}_bytes`, [bytes], int, (value: Uint8Array) => value.length),
    declare(`${prefix}_list`, [list], int, lengthOf),
    declare(`${prefix}_map`, [map], int, sizeOfMap),
  ]
}

/**
 * The functions on lists and maps. Indexes and `type` are declared here for their types only: the planner evaluates
 * them itself.
 */
export const collections: readonly FunctionDeclaration[] = [
  {
    name: '_[_]',
    overloads: [
      overload('index_list', [list, int], a, itemOf),
      overload('index_map', [map, a], b, entryOf),
      overload('optional_list_index_int', [optionalOf(list), int], optionalOf(a), unreached),
      overload('optional_map_index_value', [optionalOf(map), a], optionalOf(b), unreached),
    ],
  },
  {
    name: '_[?_]',
    overloads: [
      overload('list_optindex_optional_int', [list, int], optionalOf(a), unreached),
      overload('map_optindex_optional_value', [map, a], optionalOf(b), unreached),
      overload('optional_list_optindex', [optionalOf(list), int], optionalOf(a), unreached),
      overload('optional_map_optindex', [optionalOf(map), a], optionalOf(b), unreached),
    ],
  },
  {
    name: '@in',
    overloads: [
      overload('in_list', [a, list], bool, (value, items) => includes(items, value), {
        cost: (_, items) => lengthOf(items),
        estimate: (_, items) => ({ cost: scaleRange(items.size, 1) }),
        narrow: true,
      }),
      overload('in_map', [a, map], bool, (key, entries) => lookup(entries, key) !== undefined),
    ],
  },
  { name: 'size', overloads: [...sizes(overload, 'size'), ...sizes(method, 'receiver_size')] },
  { name: 'dyn', overloads: [overload('to_dyn', [a], dyn, (value) => value)] },
  { name: 'type', overloads: [overload('type', [a], types.typeType(a), unreached)] },
]

/** The implementation of what the planner evaluates without a call. */
function unreached(): Result {
  return fail('no such overload')
}
