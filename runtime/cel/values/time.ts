/** Timestamps, durations and time zones. */
import { currentEvaluation, spendSteps } from '../limits/step-limit.ts'
import { type CelError, Duration, fail, Timestamp } from './values.ts'

/** Nanoseconds in a second. */
export const second = 1_000_000_000n

/** The years 1 to 9999, and 64 bits of nanoseconds. */
const earliest = -62_135_596_800n * second
const latest = 253_402_300_800n * second - 1n
const longest = 2n ** 63n - 1n

/** A timestamp, or the error for one before year 1 or after year 9999. */
export function timestampOf(nanos: bigint): Timestamp | CelError {
  return nanos < earliest || nanos > latest ? fail('timestamp overflow') : new Timestamp(nanos)
}

/** A duration, or the error for one that 64 bits of nanoseconds do not hold. */
export function durationOf(nanos: bigint): Duration | CelError {
  return nanos < -longest - 1n || nanos > longest ? fail('duration overflow') : new Duration(nanos)
}

/** RFC 3339, with a fraction of up to 30 digits. */
const instant =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,30}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** The point in time of an RFC 3339 text; undefined if it is none, an error if it is out of range. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  const parts = instant.exec(text)
  if (parts === null) return undefined
  const [year, month, day, hour, minute, sec] = parts.slice(1, 7).map(Number)
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = parts.slice(7)
  const ms = utc(year ?? 0, month ?? 0, day ?? 0)
  if (ms === undefined || (hour ?? 0) > 23 || (minute ?? 0) > 59 || (sec ?? 0) > 59)
    return undefined
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60 : 60)
  const seconds = ms / 1000 + (hour ?? 0) * 3600 + (minute ?? 0) * 60 + (sec ?? 0) - offset
  return timestampOf(BigInt(seconds) * second + BigInt(fraction.padEnd(9, '0').slice(0, 9)))
}

/** Midnight of a day in UTC, in milliseconds; undefined for a day that is in no calendar. */
function utc(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const same = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return same ? date.getTime() : undefined
}

/** RFC 3339 in UTC, with as many digits of the fraction as there are. */
export function printTimestamp({ nanos }: Timestamp): string {
  const fraction = mod(nanos, second)
  const ms = Number((nanos - fraction) / 1_000_000n)
  return `${new Date(ms).toISOString().slice(0, 19)}${decimals(fraction)}Z`
}

/** One part of a duration. */
const unit = /(\d{0,40})(?:\.(\d{0,40}))?(ns|us|µs|μs|ms|s|m|h)/y
const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', second],
  ['m', 60n * second],
  ['h', 3600n * second],
])

/** The span of a text like `1h30m` or `-1.5s`; undefined if it is none. */
export function parseDuration(text: string): Duration | CelError | undefined {
  const signed = text.startsWith('-') || text.startsWith('+')
  const body = signed ? text.slice(1) : text
  if (body === '0') return new Duration(0n)
  if (body === '' || body.length > 400) return undefined
  let nanos = 0n
  unit.lastIndex = 0
  while (unit.lastIndex < body.length) {
    const [, whole = '', fraction = '', name = ''] = unit.exec(body) ?? []
    const size = units.get(name)
    if (size === undefined || whole + fraction === '') return undefined
    nanos += (BigInt(whole + fraction) * size) / 10n ** BigInt(fraction.length)
  }
  return durationOf(text.startsWith('-') ? -nanos : nanos)
}

/** The duration in seconds: `90.5s`. */
export function printDuration({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos
  return `${nanos < 0n ? '-' : ''}${size / second}${decimals(size % second)}s`
}

function decimals(fraction: bigint): string {
  return fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
}

/** The remainder that is never negative. */
export function mod(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by
}

/** The date whose UTC parts are those of the instant in a time zone; undefined for an unknown zone. */
export function localDate({ nanos }: Timestamp, zone: string): Date | undefined {
  const ms = Number((nanos - mod(nanos, 1_000_000n)) / 1_000_000n)
  const offset = offsetOf(zone, ms)
  return offset === undefined ? undefined : new Date(ms + offset)
}

/** The offset of a zone from UTC at an instant, in milliseconds. */
function offsetOf(zone: string, ms: number): number | undefined {
  if (zone === '' || zone === 'UTC' || zone === 'Z') return 0
  const fixed = /^([+-]?)(\d{1,4}):([+-]?\d{1,4})$/.exec(zone)
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3])
    return minutes * (fixed[1] === '-' ? -60_000 : 60_000)
  }
  const parts = formatOf(zone)?.formatToParts(ms)
  if (parts === undefined) return undefined
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0)
  const date = new Date(0)
  date.setUTCFullYear(part('year'), part('month') - 1, part('day'))
  date.setUTCHours(part('hour') % 24, part('minute'), part('second'))
  return date.getTime() - (ms - (((ms % 1000) + 1000) % 1000))
}

const formats = new Map<string, Intl.DateTimeFormat>()
const maxFormats = 64

/** Loading a zone, paid once in an evaluation; then asking it for an offset. */
const stepsPerZone = 15_000
const stepsPerOffset = 400
/** The zones whose loading this evaluation has paid for. */
const paid = { evaluation: 0, zones: new Set<string>() }

/** Takes the steps of a zone, whether it was loaded before or not. */
function meterZone(zone: string): void {
  spendSteps(stepsPerOffset)
  if (paid.evaluation !== currentEvaluation() || paid.zones.size >= maxFormats) {
    paid.evaluation = currentEvaluation()
    paid.zones.clear()
  }
  if (paid.zones.has(zone)) return
  paid.zones.add(zone)
  spendSteps(stepsPerZone)
}

/** The formatter of a zone; undefined for an unknown one. At most 64 are kept. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  meterZone(zone.slice(0, 65))
  const known = formats.get(zone)
  if (known !== undefined) return known
  if (zone.length > 64) return undefined
  try {
    const numeric = 'numeric'
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
    if (formats.size >= maxFormats) formats.clear()
    formats.set(zone, format)
    return format
  } catch {
    return undefined
  }
}
