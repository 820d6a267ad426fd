/** Durations as text, as Go prints them: `1h30m0s`, `250ms`, `-1.5s`. */
import { quotedBytes } from './quoted.ts'

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])
const part = /([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/y

/** Nanoseconds: about 292 years, the most that 64 bits hold. */
const longest = 2n ** 63n - 1n
/** Characters. */
const longestText = 400

/** The nanoseconds of a duration, parts of one cut off; undefined for a text that is no duration, or too long a one. */
export function parseNanoseconds(text: string): bigint | undefined {
  const negative = text.startsWith('-')
  let at = negative || text.startsWith('+') ? 1 : 0
  if (text.slice(at) === '0') return 0n
  if (at === text.length || text.length > longestText) return undefined
  let total = 0n
  while (at < text.length) {
    part.lastIndex = at
    const [all = '', whole = '', fraction = '', name = ''] = part.exec(text) ?? []
    const unit = units.get(name)
    if (unit === undefined || whole + fraction === '') return undefined
    total += BigInt(whole) * unit + (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length)
    at += all.length
  }
  if (total > longest + (negative ? 1n : 0n)) return undefined
  return negative ? -total : total
}

/** Why a text is no duration, in the words that public clients know. */
export function durationProblem(text: string): string {
  const shown = quotedBytes(text.slice(0, longestText))
  const invalid = `time: invalid duration ${shown}`
  let rest = text.slice(0, longestText).replace(/^[-+]/, '')
  while (rest !== '') {
    const number = /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)/.exec(rest)?.[0]
    if (number === undefined) return invalid
    rest = rest.slice(number.length)
    const name = /^[^.0-9]*/.exec(rest)?.[0] ?? ''
    if (name === '') return `time: missing unit in duration ${shown}`
    if (!units.has(name)) return `time: unknown unit ${quotedBytes(name)} in duration ${shown}`
    rest = rest.slice(name.length)
  }
  return invalid
}

/** The canonical text of a duration in nanoseconds: `1h30m0s`, `250ms`, `0s`. */
export function printNanoseconds(nanos: bigint): string {
  const sign = nanos < 0n ? '-' : ''
  const size = nanos < 0n ? -nanos : nanos
  if (size === 0n) return '0s'
  if (size < 1000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return `${sign}${decimals(size, 3)}µs`
  if (size < 1_000_000_000n) return `${sign}${decimals(size, 6)}ms`
  const minutes = size / 60_000_000_000n
  const hours = minutes / 60n
  const head = hours > 0n ? `${hours}h${minutes % 60n}m` : minutes > 0n ? `${minutes}m` : ''
  return `${sign}${head}${decimals(size % 60_000_000_000n, 9)}s`
}

/** `value` divided by 10^`digits`, without zeros at the end. */
function decimals(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0')
  const fraction = text.slice(-digits).replace(/0+$/, '')
  return text.slice(0, -digits) + (fraction === '' ? '' : `.${fraction}`)
}

/** The milliseconds of a duration; undefined for a text that is no duration, or too long a one. */
export function parseDuration(text: string): number | undefined {
  const nanos = parseNanoseconds(text)
  return nanos === undefined ? undefined : Number(nanos) / 1e6
}

/** The canonical text of a duration in milliseconds, exact to the nanosecond while these are safe integers. */
export function printDuration(ms: number): string {
  return printNanoseconds(BigInt(Math.round(ms * 1e6)))
}
