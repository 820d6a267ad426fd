/** Readers of scalars that are strings in JSON and have a canonical form: times, durations, quantities, bytes. */
import { parseDuration, printDuration } from '../values/duration.ts'
import type { Json, JsonObject } from '../values/json.ts'
import { canonicalQuantity, roundedToMilli } from '../values/quantity.ts'
import type { ReadReport } from './field-error.ts'
import { wrongType } from './report.ts'
import { int32 } from './scalar-readers.ts'

const moment =
  /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** The common case: canonical, and a day that every month has. */
const plain = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

/** Reads a Time. The canonical form is in UTC with whole seconds. */
export function time(value: unknown, report: ReadReport, name: string): string | undefined {
  if (typeof value === 'string' && plain.test(value)) return value
  const parsed = readMoment(value, report, name)
  return parsed && `${parsed.seconds}Z`
}

/** Reads a MicroTime. The canonical form is in UTC with six fractional digits. */
export function microTime(value: unknown, report: ReadReport, name: string): string | undefined {
  const parsed = readMoment(value, report, name)
  return parsed && `${parsed.seconds}.${parsed.fraction.padEnd(6, '0').slice(0, 6)}Z`
}

function readMoment(value: unknown, report: ReadReport, name: string) {
  if (value === null) return undefined
  if (typeof value !== 'string') return wrongType(value, report, name, 'date-time')
  const parts = moment.exec(value)
  const iso = parts === null ? undefined : utc(value.replace(/[.,]\d+/, ''))
  if (parts === null || iso === undefined || !sameDay(parts[1]!)) {
    return wrongType(value, report, name, 'date-time', JSON.stringify(value))
  }
  return { seconds: iso.slice(0, 19), fraction: parts[3] ?? '' }
}

function utc(text: string): string | undefined {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

function sameDay(day: string): boolean {
  return utc(`${day}T00:00:00Z`)?.slice(0, 10) === day
}

/** Reads a duration; gives its canonical form. */
export function duration(value: unknown, report: ReadReport, name: string): string | undefined {
  if (value === null) return undefined
  if (typeof value !== 'string') return wrongType(value, report, name, 'duration')
  const ms = parseDuration(value)
  if (ms === undefined) return wrongType(value, report, name, 'duration', JSON.stringify(value))
  return printDuration(ms)
}

/** Reads a quantity, which may be a number in JSON; gives its canonical form. */
export function quantity(value: unknown, report: ReadReport, name: string): string | undefined {
  if (value === null) return undefined
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  if (typeof text !== 'string') return wrongType(value, report, name, 'quantity')
  const canonical = canonicalQuantity(text)
  if (canonical !== undefined) return canonical
  return wrongType(value, report, name, 'quantity', JSON.stringify(text))
}

/** Rounds quantities up to whole milli. Gives the same map if none is finer. */
export function roundedUpToMilli<T extends Amounts | undefined>(amounts: T): T {
  const all = Object.entries<string>(amounts ?? {})
  if (!all.some(([, text]) => fine.test(text))) return amounts
  const rounded = all.map(([name, text]) => [name, fine.test(text) ? roundedToMilli(text) : text])
  return Object.fromEntries(rounded) as T
}

type Amounts = Readonly<Record<string, string>>

/** The suffixes of canonical quantities that are finer than a milli. */
const fine = /[nu]$/

/** Reads a 32-bit integer or a string. */
export function intOrString(
  value: unknown,
  report: ReadReport,
  name: string,
): number | string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return int32(value, report, name)
  return value === null ? undefined : wrongType(value, report, name, 'integer or string')
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Reads bytes in base64 with padding; line breaks are removed. */
export function bytes(value: unknown, report: ReadReport, name: string): string | undefined {
  if (value === null) return undefined
  if (typeof value !== 'string') return wrongType(value, report, name, 'base64 string')
  const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value
  if (text.length % 4 === 0 && base64.test(text)) return text
  return wrongType(value, report, name, 'base64 string', 'illegal base64 data')
}

/** Reads any JSON object and keeps it as it is. */
export function object(value: unknown, report: ReadReport, name: string): JsonObject | undefined {
  if (value === null) return undefined
  if (typeof value === 'object' && !Array.isArray(value)) return value as JsonObject
  return wrongType(value, report, name, 'object')
}

/** Reads any JSON value and keeps it as it is. */
export function any(value: unknown): Json | undefined {
  return value === null ? undefined : (value as Json)
}
