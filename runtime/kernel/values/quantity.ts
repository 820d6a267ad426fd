/**
 * Quantities: `500m`, `1.5Gi`, `2e3`. The canonical text keeps the suffix family of the input, has no fraction, and the
 * largest suffix that allows that; what is finer than a nano is rounded up. Most texts that are as short as that stay as
 * they are written: `1.025`, `+1`, `1E3`.
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
const shape = /^([+-]?)([0-9]{0,400})(?:\.([0-9]{0,400}))?([A-Za-z]{0,2}|[eE][+-]?[0-9]{1,12})$/
/** Characters. */
const longest = 500
/** Powers of ten beyond are no quantity here. */
const largestPower = 999
const nano = 10n ** 9n
/** Beyond 2^63 - 1 a quantity with a binary suffix stops growing. */
const most = (2n ** 63n - 1n) * nano

/** Parses a quantity; undefined for a text that is none. Digits may be missing: `.` and `m` are zero. */
export function parseQuantity(text: string): Quantity | undefined {
  const parts = partsOf(text)
  return parts && amountOf(parts)
}

/** A quantity in its parts: digits before the point without leading zeros, those behind it, and the suffix. */
interface QuantityParts {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
  readonly family: Quantity['family']
  /** Of two in the binary family, else of ten. */
  readonly power: number
}

function partsOf(text: string): QuantityParts | undefined {
  if (text === '' || text.length > longest) return undefined
  const parts = shape.exec(text)
  if (parts === null) return undefined
  const [, sign, digits = '', fraction = '', suffix = ''] = parts
  const scale = scaleOf(suffix)
  if (scale === undefined) return undefined
  const whole = digits.replace(/^0+/, '') || '0'
  const found = { negative: sign === '-', whole, fraction, ...scale }
  return digits + fraction !== '' || isSmall(found) ? found : undefined
}

function scaleOf(suffix: string): Pick<QuantityParts, 'family' | 'power'> | undefined {
  const two = binary.indexOf(suffix)
  if (two >= 0) return { family: 'binary', power: (two + 1) * 10 }
  const ten = decimal.indexOf(suffix)
  if (ten >= 0) return { family: 'decimal', power: (ten - 3) * 3 }
  if (!/^[eE][+-]?[0-9]/.test(suffix)) return undefined
  const power = Number(suffix.slice(1))
  return Math.abs(power) > largestPower ? undefined : { family: 'exponent', power }
}

function amountOf({ negative, whole, fraction, family, power }: QuantityParts): Quantity {
  const scaled = BigInt(whole + fraction) * nano
  const times = family === 'binary' ? 2n ** BigInt(power) : 10n ** BigInt(Math.max(0, power))
  const over = 10n ** BigInt(fraction.length + (family === 'binary' ? 0 : Math.max(0, -power)))
  const nanos = roundUp(scaled * times, over)
  return { negative, nanos: family === 'binary' && nanos > most ? most : nanos, family }
}

/** The most digits that a decimal quantity has whose text is kept, and those of the value of a binary one. */
const keptDigits = { decimal: 18, binary: 14 } as const

/** True for a quantity of a whole number of 64 bits, at a scale no finer than a nano. */
function isSmall({ whole, fraction, family, power }: QuantityParts): boolean {
  if (family === 'binary') {
    return fraction === '' && whole.length + Math.trunc(power * 0.3) <= keptDigits.binary
  }
  return whole.length + fraction.length <= keptDigits.decimal && power - fraction.length >= -9
}

/** True for a text that is stored as it is, and not finer than 10^`finest`. */
function isKept(parts: QuantityParts, finest: number): boolean {
  const { whole, fraction, family, power } = parts
  if (!isSmall(parts)) return false
  if (family === 'binary') return Number(whole) % 8 !== 0
  const digits = whole + fraction
  const scale = power - fraction.length
  return scale >= finest && scale % 3 === 0 && !digits.startsWith('0') && !digits.endsWith('000')
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
  while (left % 1000n === 0n && (exponent || step < decimal.length - 1)) {
    left /= 1000n
    step++
  }
  const power = (step - 3) * 3
  if (exponent) return power === 0 ? `${left}` : `${left}e${power}`
  return `${left}${decimal[step]}`
}

const plain = /^[1-9][0-9]{0,2}(m|[KMGT]i|[kMGT])?$/

/** The text rounded up to whole milli: `1500u` becomes `2m`. One that is no quantity is returned as it is. */
export function roundedToMilli(text: string): string {
  if (plain.test(text)) return text
  const parts = partsOf(text)
  if (parts === undefined || isKept(parts, -3)) return text
  const amount = amountOf(parts)
  const milli = nano / 1000n
  return printQuantity({ ...amount, nanos: roundUp(amount.nanos, milli) * milli })
}

/** The text under which a quantity is stored; undefined for a text that is none. The common forms are not parsed. */
export function storedQuantity(text: string): string | undefined {
  if (plain.test(text)) return text
  const parts = partsOf(text)
  if (parts === undefined) return undefined
  return isKept(parts, -9) ? text : printQuantity(amountOf(parts))
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const [left, right] = [a, b].map((one) => (one.negative ? -one.nanos : one.nanos)) as [
    bigint,
    bigint,
  ]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Why a text is no quantity, in the words that public clients know. */
export function quantityProblem(text: string): string {
  const number = /^[+-]?[0-9]*(?:\.[0-9]*)?/.exec(text)?.[0] ?? ''
  const suffix = text.slice(number.length)
  if (text === '' || !/^[eEinumkKMGTP]*[+-]?[0-9]*$/.test(suffix)) {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  }
  return scaleOf(suffix) === undefined
    ? "unable to parse quantity's suffix"
    : 'unable to parse numeric part of quantity'
}
