/**
 * Quantities: `500m`, `1.5Gi`, `2e3`. The canonical text keeps the suffix family of the input, has no fraction, and the
 * largest suffix that allows that; what is finer than a nano is rounded up.
 */

/** A parsed quantity. */
export interface Quantity {
  readonly negative: boolean
  /** The absolute value times 10^9, rounded up. */
  readonly nanos: bigint
  readonly family: 'decimal' | 'binary' | 'exponent'
}

const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const shape = /^([+-]?)([0-9]{0,400})(?:\.([0-9]{0,400}))?([A-Za-z]{0,2}|[eE][+-]?[0-9]{1,3})$/
const nano = 10n ** 9n
/** Beyond 2^63 - 1 a quantity stops growing. */
const most = (2n ** 63n - 1n) * nano

/** Parses a quantity; undefined for a text that is none. */
export function parseQuantity(text: string): Quantity | undefined {
  const parts = shape.exec(text)
  if (parts === null) return undefined
  const [, sign, whole = '', fraction = '', suffix = ''] = parts
  const scale = scaleOf(suffix)
  if (scale === undefined || whole + fraction === '') return undefined
  const digits = BigInt(whole + fraction) * nano * scale.times
  const nanos = roundUp(digits, 10n ** BigInt(fraction.length) * scale.over)
  return { negative: sign === '-', nanos: nanos > most ? most : nanos, family: scale.family }
}

interface Scale {
  readonly family: Quantity['family']
  readonly times: bigint
  readonly over: bigint
}

function scaleOf(suffix: string): Scale | undefined {
  const two = binary.indexOf(suffix)
  if (two >= 0) return { family: 'binary', times: 1024n ** BigInt(two + 1), over: 1n }
  const ten = decimal.indexOf(suffix)
  if (ten >= 0) return power('decimal', (ten - 3) * 3)
  return /^[eE][+-]?[0-9]+$/.test(suffix) ? power('exponent', Number(suffix.slice(1))) : undefined
}

function power(family: Quantity['family'], exponent: number): Scale {
  const size = 10n ** BigInt(Math.abs(exponent))
  return exponent >= 0 ? { family, times: size, over: 1n } : { family, times: 1n, over: size }
}

function roundUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

/** The canonical text: `1.5Gi` becomes `1536Mi`, `0.1` becomes `100m`, `1000` becomes `1k`. */
export function printQuantity(quantity: Quantity): string {
  const sign = quantity.negative && quantity.nanos > 0n ? '-' : ''
  if (quantity.nanos === 0n) return '0'
  const whole = quantity.nanos % nano === 0n
  const small = quantity.nanos < 1024n * nano
  if (quantity.family === 'binary' && whole && !small) return sign + inBinary(quantity.nanos / nano)
  return sign + inDecimal(quantity.nanos, quantity.family === 'exponent')
}

function inBinary(value: bigint): string {
  let [left, step] = [value, 0]
  while (left % 1024n === 0n && step < binary.length) {
    left /= 1024n
    step++
  }
  return `${left}${step === 0 ? '' : binary[step - 1]}`
}

function inDecimal(nanos: bigint, exponent: boolean): string {
  let [left, step] = [nanos, 0]
  while (left % 1000n === 0n && step < decimal.length - 1) {
    left /= 1000n
    step++
  }
  const power = (step - 3) * 3
  if (exponent) return power === 0 ? `${left}` : `${left}e${power}`
  return `${left}${decimal[step]}`
}

/** The canonical text rounded up to whole milli: `1500u` becomes `2m`. A text that is no quantity is returned as it is. */
export function roundedToMilli(text: string): string {
  const amount = parseQuantity(text)
  if (amount === undefined) return text
  const milli = nano / 1000n
  return printQuantity({ ...amount, nanos: roundUp(amount.nanos, milli) * milli })
}

/** The canonical text of a quantity; undefined for a text that is none. The common forms are recognized without parsing. */
export function canonicalQuantity(text: string): string | undefined {
  if (/^[1-9][0-9]{0,2}(m|[KMGT]i|[kMGT])?$/.test(text)) return text
  const quantity = parseQuantity(text)
  return quantity && printQuantity(quantity)
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const [left, right] = [a, b].map((one) => (one.negative ? -one.nanos : one.nanos)) as [
    bigint,
    bigint,
  ]
  return left < right ? -1 : left > right ? 1 : 0
}
