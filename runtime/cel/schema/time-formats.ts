/** Dates, times and durations as the formats of schemas write them, in nanoseconds. */

import { parseDuration } from '../values/time.ts'
import { Duration } from '../values/values.ts'

const day = 86_400_000_000_000n
const dateShape = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
const timeShape =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]{1,9})[0-9]*)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))?$/

/**
 * Midnight UTC of a date such as `2024-02-29`, in nanoseconds since the epoch; undefined for a date that does not
 * exist.
 */
export function parseDate(text: string): bigint | undefined {
  const found = dateShape.exec(text)
  if (found === null) return undefined
  const [year, month, date] = found.slice(1).map(Number) as [number, number, number]
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, date)
  const same = at.getUTCMonth() === month - 1 && at.getUTCDate() === date && year > 0
  return same ? BigInt(at.getTime()) * 1_000_000n : undefined
}

/**
 * An RFC 3339 time in nanoseconds since the epoch, of UTC without an offset; the empty text is the epoch. Digits of the second's fraction
 * beyond the ninth are dropped.
 */
export function parseDateTime(text: string): bigint | undefined {
  if (text === '') return 0n
  const found = timeShape.exec(text)
  const midnight = parseDate(found?.[1] ?? '')
  if (found === null || midnight === undefined) return undefined
  const [, , hour, minute, second, fraction = '', sign, offHour = '0', offMinute = '0'] = found
  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  if (h > 23 || m > 59 || s > 59 || Number(offHour) > 23 || Number(offMinute) > 59) return undefined
  const seconds = BigInt(h * 3600 + m * 60 + s)
  const offset = BigInt(Number(offHour) * 3600 + Number(offMinute) * 60)
  const shifted = sign === '-' ? seconds + offset : seconds - offset
  return midnight + shifted * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/**
 * Why a text that has the form of a time is none that an expression reads, in the words of release 1.29: what a schema accepts as a
 * time is more than that.
 */
export function dateTimeProblem(text: string): string {
  const quoted = JSON.stringify(text)
  const beginning = `parsing time ${quoted}`
  if (!/^\d{4}-\d\d-\d\d/.test(text)) {
    return `${beginning} as "2006-01-02T15:04:05": cannot parse ${quoted} as "2006"`
  }
  if (text[10] !== 'T') {
    const rest = JSON.stringify(text.slice(10))
    return `${beginning} as "2006-01-02T15:04:05": cannot parse ${rest} as "T"`
  }
  const rest = text.slice(19).replace(/^[.,][0-9]+/, '')
  return `${beginning}: extra text: ${JSON.stringify(rest)}`
}

/** The words of a unit: those that are equal to it, and one that need only begin it. */
interface Unit {
  readonly size: bigint
  readonly words: readonly string[]
  readonly beginning: string
}

const units: readonly Unit[] = [
  { size: 1n, words: ['ns'], beginning: 'nano' },
  { size: 1000n, words: ['us', '\u00b5s'], beginning: 'micro' },
  { size: 1_000_000n, words: ['ms'], beginning: 'milli' },
  { size: 1_000_000_000n, words: ['s'], beginning: 'sec' },
  { size: 60_000_000_000n, words: ['m'], beginning: 'min' },
  { size: 3_600_000_000_000n, words: ['h', 'hr'], beginning: 'hour' },
  { size: day, words: ['d'], beginning: 'day' },
  { size: 7n * day, words: ['w', 'wk'], beginning: 'week' },
]

const spanPart = /([0-9]+)[\t\n\f\r ]*([A-Za-z\u00b5]+)/g
const longestSpan = 256

/**
 * A duration in nanoseconds: `1h30m` as programs write it, or `3 days` and `P1D` as people do, of which every number with a unit counts
 * and the rest does not. Undefined for a text without any.
 */
export function parseSpan(text: string): bigint | undefined {
  if (text.length > longestSpan) return undefined
  const exact = parseDuration(text)
  if (exact instanceof Duration) return exact.nanos
  let total: bigint | undefined
  for (const [, digits = '', letters = ''] of text.matchAll(spanPart)) {
    const name = letters.toLowerCase()
    const number = BigInt(digits)
    if (number > maxInt64) return undefined
    const unit = units.find(
      ({ words, beginning }) => words.includes(name) || name.startsWith(beginning),
    )
    if (unit !== undefined) total = BigInt.asIntN(64, (total ?? 0n) + number * unit.size)
  }
  return total
}

const maxInt64 = 2n ** 63n - 1n
