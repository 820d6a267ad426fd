/** Dates, times and durations as the formats of schemas write them, in nanoseconds. */

const day = 86_400_000_000_000n
const dateShape = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
const timeShape =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9})[0-9]{0,9})?(?:[Zz]|([+-])([0-9]{2}):?([0-9]{2}))$/

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

/** An RFC 3339 time in nanoseconds since the epoch. Digits of the second's fraction beyond the ninth are dropped. */
export function parseDateTime(text: string): bigint | undefined {
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

/** Both signs of micro are accepted: U+00B5 and U+03BC. */
const units: ReadonlyMap<string, bigint> = new Map([
  ...names(1n, 'ns', 'nano', 'nanos', 'nanosecond', 'nanoseconds'),
  ...names(1000n, 'us', 'µs', 'μs', 'micro', 'micros', 'microsecond', 'microseconds'),
  ...names(1_000_000n, 'ms', 'milli', 'millis', 'millisecond', 'milliseconds'),
  ...names(1_000_000_000n, 's', 'sec', 'secs', 'second', 'seconds'),
  ...names(60_000_000_000n, 'm', 'min', 'mins', 'minute', 'minutes'),
  ...names(3_600_000_000_000n, 'h', 'hr', 'hrs', 'hour', 'hours'),
  ...names(day, 'd', 'day', 'days'),
  ...names(7n * day, 'w', 'wk', 'wks', 'week', 'weeks'),
])

function names(size: bigint, ...words: readonly string[]): readonly (readonly [string, bigint])[] {
  return words.map((word) => [word, size])
}

const spanPart = /([0-9]{1,18})(?:\.([0-9]{1,18}))?\s?([a-zµμ]{1,12})\s?/y
const longestSpan = 256

/** A duration in nanoseconds: `1h30m`, `-1.5s`, also `3 days` and `2 weeks`. Undefined if it does not fit 64 bits. */
export function parseSpan(text: string): bigint | undefined {
  if (text.length > longestSpan) return undefined
  const negative = text.startsWith('-')
  let at = negative || text.startsWith('+') ? 1 : 0
  if (text.slice(at) === '0') return 0n
  if (at === text.length) return undefined
  let total = 0n
  while (at < text.length) {
    spanPart.lastIndex = at
    const found = spanPart.exec(text)
    const unit = units.get(found?.[3] ?? '')
    if (found === null || unit === undefined) return undefined
    total += part(found[1]!, found[2] ?? '', unit)
    at = spanPart.lastIndex
  }
  const nanos = negative ? -total : total
  return BigInt.asIntN(64, nanos) === nanos ? nanos : undefined
}

/** Digits beyond a nanosecond are cut off. */
function part(whole: string, fraction: string, unit: bigint): bigint {
  return BigInt(whole) * unit + (BigInt(`0${fraction}`) * unit) / 10n ** BigInt(fraction.length)
}
