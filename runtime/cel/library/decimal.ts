/**
 * Doubles as decimal text with a given number of digits, rounded from their exact value, half to even. `toFixed` and
 * `toExponential` round halves up and stop at 100 digits.
 */

import { spendSteps } from '../limits/step-limit.ts'

/** Steps of writing a number, and of each of its digits: the exact decimal of a tiny number has a thousand. */
const stepsPerNumber = 40
const stepsPerDigit = 12

/** An exact decimal: its digits, and how many of them are before the point (negative: zeros after it). */
interface Decimal {
  readonly negative: boolean
  readonly digits: string
  readonly point: number
}

/** The number with `precision` digits after the point, such as `-123.500`. */
export function fixedText(value: number, precision: number): string {
  const exact = decimalOf(value)
  const { digits, point } = rounded(exact, exact.point + precision)
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits
  const whole = Math.max(point, 1)
  const body = padded.padEnd(whole + precision, '0')
  const fraction = body.slice(whole, whole + precision)
  return `${exact.negative ? '-' : ''}${body.slice(0, whole)}${precision > 0 ? '.' : ''}${fraction}`
}

/**
 * The number with one digit before the point, `precision` after it and at least two exponent digits, such as
 * `1.052033e+03`.
 */
export function scientificText(value: number, precision: number): string {
  const exact = decimalOf(value)
  const { digits, point } = rounded(exact, precision + 1)
  const body = digits.padEnd(precision + 1, '0')
  const exponent = digits === '0' ? 0 : point - 1
  const mantissa = precision > 0 ? `${body[0]}.${body.slice(1, precision + 1)}` : body[0]
  const power = String(Math.abs(exponent)).padStart(2, '0')
  return `${exact.negative ? '-' : ''}${mantissa}e${exponent < 0 ? '-' : '+'}${power}`
}

/** The exact decimal of a finite double, from its binary mantissa and exponent. */
function decimalOf(value: number): Decimal {
  const negative = value < 0 || Object.is(value, -0)
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, Math.abs(value))
  const bits = view.getBigUint64(0)
  const biased = Number(bits >> 52n)
  const fraction = bits & (2n ** 52n - 1n)
  const mantissa = biased === 0 ? fraction : fraction + 2n ** 52n
  const exponent = (biased === 0 ? 1 : biased) - 1075
  if (mantissa === 0n) return { negative, digits: '0', point: 1 }
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString()
    spendSteps(stepsPerNumber + stepsPerDigit * digits.length)
    return { negative, digits, point: digits.length }
  }
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString()
  spendSteps(stepsPerNumber + stepsPerDigit * digits.length)
  return { negative, digits, point: digits.length + exponent }
}

/** The first `keep` digits, rounded half to even. */
function rounded(exact: Decimal, keep: number): Decimal {
  const { digits, point } = exact
  if (keep >= digits.length) return exact
  if (keep < 0) return { ...exact, digits: '0', point: 1 }
  const kept = digits.slice(0, keep)
  const next = digits.charCodeAt(keep) - 48
  const half = next === 5 && /^0*$/.test(digits.slice(keep + 1))
  const odd = keep > 0 && (digits.charCodeAt(keep - 1) - 48) % 2 === 1
  if (next < 5 || (half && !odd))
    return keep === 0 ? { ...exact, digits: '0', point: 1 } : { ...exact, digits: kept }
  const up = (BigInt(kept === '' ? '0' : kept) + 1n).toString().padStart(keep, '0')
  return { ...exact, digits: up, point: point + up.length - keep }
}
