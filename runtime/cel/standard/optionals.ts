/** Optional values: `optional.of`, `optional.none`, `value`, `hasValue`, `or` and `orValue`. */
import { type Library, method, overload } from '../functions/functions.ts'
import * as types from '../types/types.ts'
import { isList, isMap, lengthOf, sizeOfMap } from '../values/collections.ts'
import {
  Double,
  Duration,
  fail,
  ObjectView,
  Optional,
  type Result,
  Timestamp,
  Uint,
  type Value,
} from '../values/values.ts'

const value = types.typeParameter('A')
const optional = types.optionalType(value)

/** Whether a value is the zero value of its type: 0, false, empty, null. */
function isZero(of: Value): boolean {
  if (of === null || of === false || of === 0 || of === '') return true
  if (of instanceof Double) return of.value === 0
  if (of instanceof Uint) return of.value === 0n
  if (of instanceof Uint8Array) return of.length === 0
  if (of instanceof Duration || of instanceof Timestamp) return of.nanos === 0n
  if (isList(of)) return lengthOf(of) === 0
  if (of instanceof ObjectView) return Object.keys(of.raw).length === 0
  if (of instanceof Optional) return of.value === undefined
  return isMap(of) && sizeOfMap(of) === 0
}

function unwrapped({ value: inner }: Optional): Result {
  return inner ?? (inner === null ? null : fail('optional.none() dereference'))
}

/**
 * The library of optional values. `or` and `orValue` are declared for their types; the planner evaluates their argument
 * only if needed.
 */
export const optionals: Library = {
  name: 'optional',
  types: { optional_type: types.optionalType(types.dynType) },
  functions: [
    {
      name: 'optional.none',
      overloads: [overload('optional_none', [], optional, () => Optional.none)],
    },
    {
      name: 'optional.of',
      overloads: [overload('optional_of', [value], optional, (of) => new Optional(of))],
    },
    {
      name: 'optional.ofNonZeroValue',
      overloads: [
        overload('optional_ofNonZeroValue', [value], optional, (of) =>
          isZero(of) ? Optional.none : new Optional(of),
        ),
      ],
    },
    { name: 'value', overloads: [method('optional_value', [optional], value, unwrapped)] },
    {
      name: 'hasValue',
      overloads: [
        method('optional_hasValue', [optional], types.boolType, (of) => of.value !== undefined),
      ],
    },
    {
      name: 'or',
      overloads: [
        method('optional_or_optional', [optional, optional], optional, (a, b) =>
          a.value === undefined ? b : a,
        ),
      ],
    },
    {
      name: 'orValue',
      overloads: [
        method('optional_orValue_value', [optional, value], value, (a, b) =>
          a.value === undefined ? b : a.value,
        ),
      ],
    },
  ],
}
