/** Order and sum of values whose types are known only at run time. */

import { compareBytes, compareStrings, numberIn } from '../values/equality.ts'
import { addInts, uintOf } from '../values/numbers.ts'
import { durationOf } from '../values/time.ts'
import { noSuchOverload } from '../values/value-type.ts'
import {
  type CelError,
  Double,
  Duration,
  type Result,
  Timestamp,
  Uint,
  type Value,
} from '../values/values.ts'

/** Negative, 0 or positive, as `a` precedes, equals or follows `b`; an error for values without a common order. */
export function compare(a: Value, b: Value): number | CelError {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  const [left, right] = [orderOf(a), orderOf(b)]
  if (left === undefined || right === undefined || kindOf(a) !== kindOf(b)) return noSuchOverload()
  return left < right ? -1 : left > right ? 1 : 0
}

/** The number that a value is ordered by; undefined for values that have no order. */
function orderOf(value: Value): number | bigint | undefined {
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof Duration || value instanceof Timestamp) return value.nanos
  return numberIn(value)
}

/** Values of one kind have a common order. All number types are one kind. */
function kindOf(value: Value): string {
  if (typeof value === 'boolean') return 'bool'
  if (value instanceof Duration) return 'duration'
  return value instanceof Timestamp ? 'timestamp' : 'number'
}

/** The sum of two numbers of one type, or of two durations; an error for other values. */
export function add(a: Value, b: Value): Result {
  if (a instanceof Double && b instanceof Double) return new Double(a.value + b.value)
  if (a instanceof Uint && b instanceof Uint) return uintOf(a.value + b.value)
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos)
  const ints = [a, b].every((one) => typeof one === 'number' || typeof one === 'bigint')
  return ints ? addInts(a as number, b as number) : noSuchOverload()
}
