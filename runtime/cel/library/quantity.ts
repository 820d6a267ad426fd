/**
 * Resource quantities, such as `500m` or `2Gi`. Arithmetic is exact to a billionth and not limited to what a quantity's
 * text can express; a quantity is an integer if it has no fraction and fits 64 bits.
 */
import { parseQuantity, quantityProblem } from '../../kernel/values/quantity.ts'
import type { Library } from '../functions/functions.ts'
import { method, overload } from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import { boolType, doubleType, intType, opaqueType, stringType } from '../types/types.ts'
import { CelError, Double, fail, intOf, Opaque, type Result, type Value } from '../values/values.ts'
import { unit } from './estimates.ts'

const nano = 10n ** 9n
/**
 * The value that a larger quantity is capped at when read as a 64 bit integer: at it, a quantity is no integer any
 * more.
 */
const most = 2n ** 63n - 1n

/** The type of quantities. Two are equal if their amounts are, whatever their suffixes. */
export const quantityType = opaqueType('api.Quantity', (a, b) => a === b)

/** The amount in billionths. */
function nanosOf(value: Value): bigint {
  return (value as Opaque<bigint>).value
}

/** The value is the number of billionths itself, which makes equality a comparison of bigints. */
function amount(nanos: bigint): Value {
  spendSteps(stepsPerSum)
  return new Opaque(quantityType, nanos)
}

/** Steps of parsing a quantity, and of adding or comparing: each costs 1 unit, but takes longer. */
const stepsPerText = 70
const stepsPerSum = 15

/** Undefined for a text that is no quantity. */
function parsed(text: string): bigint | undefined {
  spendSteps(stepsPerText + text.length)
  const found = parseQuantity(text)
  return found && (found.negative ? -found.nanos : found.nanos)
}

function sign(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0
}

function compare(a: Value, b: Value): number {
  spendSteps(stepsPerSum)
  return sign(nanosOf(a) - nanosOf(b))
}

/** The amount as an int; an error if it has a fraction or does not fit. */
function integer(nanos: bigint): Result {
  spendSteps(stepsPerSum)
  const whole = nanos / nano
  const size = whole < 0n ? -whole : whole
  const exact = nanos % nano === 0n && size < most
  return exact ? intOf(whole) : fail('cannot convert value to integer')
}

/** The amount as the nearest double. */
function approximate(nanos: bigint): number {
  spendSteps(stepsPerSum)
  const whole = nanos / nano
  return whole * nano === nanos ? Number(whole) : Number(nanos) / 1e9
}

const unitary = { estimate: unit }
const quantities = [quantityType, quantityType] as const
const withInt = [quantityType, intType] as const

/**
 * `quantity('1.5Gi')`, `isQuantity('x')`, and what one is as a number:
 * `quantity('50k').asInteger()` is 50000.
 */
const reading = [
  {
    name: 'quantity',
    overloads: [
      overload('string_to_quantity', [stringType], quantityType, (text) => {
        const nanos = parsed(text)
        if (nanos !== undefined) return amount(nanos)
        return fail(quantityProblem(text))
      }),
    ],
  },
  {
    name: 'isQuantity',
    overloads: [
      overload('is_quantity_string', [stringType], boolType, (text) => parsed(text) !== undefined),
    ],
  },
  {
    name: 'isInteger',
    overloads: [
      method(
        'quantity_is_integer',
        [quantityType],
        boolType,
        (one) => !(integer(nanosOf(one)) instanceof CelError),
        unitary,
      ),
    ],
  },
  {
    name: 'asInteger',
    overloads: [
      method('quantity_get_int', [quantityType], intType, (one) => integer(nanosOf(one)), unitary),
    ],
  },
  {
    name: 'asApproximateFloat',
    overloads: [
      method(
        'quantity_get_float',
        [quantityType],
        doubleType,
        (one) => new Double(approximate(nanosOf(one))),
        unitary,
      ),
    ],
  },
]

const comparing = [
  {
    name: 'sign',
    overloads: [
      method('quantity_sign', [quantityType], intType, (one) => sign(nanosOf(one)), unitary),
    ],
  },
  {
    name: 'isGreaterThan',
    overloads: [
      method(
        'quantity_is_greater_than',
        quantities,
        boolType,
        (a, b) => compare(a, b) > 0,
        unitary,
      ),
    ],
  },
  {
    name: 'isLessThan',
    overloads: [
      method('quantity_is_less_than', quantities, boolType, (a, b) => compare(a, b) < 0, unitary),
    ],
  },
  {
    name: 'compareTo',
    overloads: [method('quantity_compare_to', quantities, intType, compare, unitary)],
  },
]

const calculating = [
  {
    name: 'add',
    overloads: [
      method(
        'quantity_add',
        quantities,
        quantityType,
        (a, b) => amount(nanosOf(a) + nanosOf(b)),
        unitary,
      ),
      method(
        'quantity_add_int',
        withInt,
        quantityType,
        (a, b) => amount(nanosOf(a) + BigInt(b) * nano),
        unitary,
      ),
    ],
  },
  {
    name: 'sub',
    overloads: [
      method(
        'quantity_sub',
        quantities,
        quantityType,
        (a, b) => amount(nanosOf(a) - nanosOf(b)),
        unitary,
      ),
      method(
        'quantity_sub_int',
        withInt,
        quantityType,
        (a, b) => amount(nanosOf(a) - BigInt(b) * nano),
        unitary,
      ),
    ],
  },
]

/** The library of quantities. */
export const quantityLibrary: Library = {
  name: 'quantity',
  types: { [quantityType.name]: quantityType },
  functions: [...reading, ...comparing, ...calculating],
}
