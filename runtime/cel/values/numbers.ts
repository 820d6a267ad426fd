/** Arithmetic of 64-bit integers, and doubles as text. */
import { type CelError, type Double, fail, type Int, intOf, type Result, Uint } from './values.ts'

/** The sum: a number while it is a safe integer, a bigint beyond, an error beyond 64 bits. */
export function addInts(a: Int, b: Int): Result {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return intOf(BigInt(a) + BigInt(b))
}

/** The difference, with the bounds of `addInts`. */
export function subtractInts(a: Int, b: Int): Result {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return intOf(BigInt(a) - BigInt(b))
}

/** The product, with the bounds of `addInts`. */
export function multiplyInts(a: Int, b: Int): Result {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product)) return product + 0
  }
  return intOf(BigInt(a) * BigInt(b))
}

/** The quotient, cut towards zero; an error for zero as divisor. */
export function divideInts(a: Int, b: Int): Result {
  if (b === 0) return fail('division by zero')
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0
  return intOf(BigInt(a) / BigInt(b))
}

/** The remainder, which has the dividend's sign; an error for zero as divisor. */
export function moduloInts(a: Int, b: Int): Result {
  if (b === 0) return fail('modulus by zero')
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
  if (BigInt(a) === -(2n ** 63n) && b === -1) return fail('integer overflow')
  return intOf(BigInt(a) % BigInt(b))
}

/** The negative of an int; an error for the least one. */
export function negateInt(a: Int): Result {
  return typeof a === 'number' ? 0 - a : intOf(-a)
}

/** A uint, or the error for what 64 bits do not hold. */
export function uintOf(value: bigint): Uint | CelError {
  return value < 0n || value >= 2n ** 64n ? fail('unsigned integer overflow') : new Uint(value)
}

/** The int that a double is cut to, or the error for one out of range. */
export function intOfDouble(value: number): Int | CelError {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) return fail('integer overflow')
  return intOf(BigInt(Math.trunc(value)))
}

/** The uint that a double is cut to, or the error for one out of range. */
export function uintOfDouble(value: number): Uint | CelError {
  if (!(value >= 0 && value < 2 ** 64)) return fail('unsigned integer overflow')
  return new Uint(BigInt(Math.trunc(value)))
}

const special: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
])

/** The double of a text; undefined if it is none. */
export function parseDouble(text: string): number | undefined {
  const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  const word = special.get(rest.toLowerCase())
  if (word !== undefined) return sign === '-' ? -word : word
  if (!/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(rest)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** The shortest text that reads back as the double, with an exponent from a million on. */
export function printDouble({ value }: Double): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const size = Math.abs(value)
  const text = size >= 1e6 || (size < 1e-4 && size > 0) ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

/** The quotient of two uints; an error for zero as divisor. */
export function divideUints(a: Uint, b: Uint): Result {
  return b.value === 0n ? fail('division by zero') : new Uint(a.value / b.value)
}

/** The remainder of two uints; an error for zero as divisor. */
export function moduloUints(a: Uint, b: Uint): Result {
  return b.value === 0n ? fail('modulus by zero') : new Uint(a.value % b.value)
}
