/** Equality and order. */
import { scaleRange } from '../cost/ranges.ts'
import {
  type ArgumentEstimate,
  type CallEstimate,
  type FunctionDeclaration,
  type Overload,
  overload,
  traversal,
} from '../functions/functions.ts'
import { codePoints } from '../syntax/source.ts'
import * as types from '../types/types.ts'
import { isList, isMap, lengthOf, sizeOfMap } from '../values/collections.ts'
import { compareBytes, compareStrings, equals } from '../values/equality.ts'
import type { Double, Duration, Int, Timestamp, Uint, Value } from '../values/values.ts'

const { boolType: bool, intType: int, uintType: uint, doubleType: double } = types
const {
  stringType: string,
  bytesType: bytes,
  durationType: duration,
  timestampType: timestamp,
} = types
const any = types.typeParameter('A')

/** The number of characters, bytes or items that a comparison looks at; 1 for other values. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length < 10 ? value.length : codePoints(value)
  if (typeof value !== 'object' || value === null) return 1
  if (isList(value)) return lengthOf(value)
  if (isMap(value)) return sizeOfMap(value)
  return value instanceof Uint8Array ? value.length : 1
}

/** The cost of comparing two values: a tenth of the smaller one's size. */
export function comparisonCost(a: Value, b: Value): number {
  return traversal(Math.min(sizeOf(a), sizeOf(b)))
}

/** The smaller of the two bounds: a comparison ends with the shorter value. */
function comparisonEstimate(a: ArgumentEstimate, b: ArgumentEstimate): CallEstimate {
  const max = Math.min(a.size.max, b.size.max)
  return { cost: scaleRange({ min: max > 0 ? 1 : 0, max }, 0.1) }
}

/**
 * The number of an int, uint or double. JavaScript compares a bigint and a number exactly, by value; if one operand is
 * a double, both are compared as doubles.
 */
function plain(value: Int | Uint | Double): number | bigint {
  return typeof value === 'object' ? value.value : value
}

/** Turns an order (negative, 0, positive) into the operator's result. */
type Decide = (order: number) => boolean

/** One order operator with its overloads for every pair of types that have an order. */
function orderings(
  name: string,
  decide: Decide,
  numeric: (a: number | bigint, b: number | bigint) => boolean,
): FunctionDeclaration {
  const numbers = [int, uint, double] as const
  const overloads: Overload[] = numbers.flatMap((left) =>
    numbers.map((right) => {
      const suffix = left === right ? left.kind : `${left.kind}_${right.kind}`
      const widen = left === double || right === double ? Number : plain
      return overload(`${name}_${suffix}`, [left, right], bool, (a, b) =>
        numeric(widen(plain(a)), widen(plain(b))),
      )
    }),
  )
  const sized = { cost: comparisonCost, estimate: comparisonEstimate, narrow: true }
  const byNanos = (a: Duration | Timestamp, b: Duration | Timestamp) => numeric(a.nanos, b.nanos)
  overloads.push(
    overload(`${name}_bool`, [bool, bool], bool, (a, b) => decide(Number(a) - Number(b))),
    overload(
      `${name}_string`,
      [string, string],
      bool,
      (a, b) => decide(compareStrings(a, b)),
      sized,
    ),
    overload(`${name}_bytes`, [bytes, bytes], bool, (a, b) => decide(compareBytes(a, b)), sized),
    overload(`${name}_duration`, [duration, duration], bool, byNanos),
    overload(`${name}_timestamp`, [timestamp, timestamp], bool, byNanos),
  )
  return { name: operators[name] ?? name, overloads }
}

const operators: Readonly<Record<string, string>> = {
  less: '_<_',
  less_equals: '_<=_',
  greater: '_>_',
  greater_equals: '_>=_',
}

const sameCost = { cost: comparisonCost, estimate: comparisonEstimate }

/** Equality, the order operators, and `!` and `?:` (declared for their types; the planner evaluates them). */
export const comparison: readonly FunctionDeclaration[] = [
  orderings(
    'less',
    (order) => order < 0,
    (a, b) => a < b,
  ),
  orderings(
    'less_equals',
    (order) => order <= 0,
    (a, b) => a <= b,
  ),
  orderings(
    'greater',
    (order) => order > 0,
    (a, b) => a > b,
  ),
  orderings(
    'greater_equals',
    (order) => order >= 0,
    (a, b) => a >= b,
  ),
  { name: '_==_', overloads: [overload('equals', [any, any], bool, equals, sameCost)] },
  {
    name: '_!=_',
    overloads: [overload('not_equals', [any, any], bool, (a, b) => !equals(a, b), sameCost)],
  },
  { name: '!_', overloads: [overload('logical_not', [bool], bool, (a) => !a)] },
  {
    name: '_?_:_',
    overloads: [
      overload('conditional', [bool, any, any], any, (test, yes, no) => (test ? yes : no)),
    ],
  },
]
