/** Readers of scalars that are strings in JSON and have a canonical form: times, durations, quantities, bytes. */
import { parseNanoseconds, printNanoseconds } from '../values/duration.ts'
import type { Json, JsonObject } from '../values/json.ts'
import { type Moment, parseMoment } from '../values/moment.ts'
import { roundedToMilli, storedQuantity } from '../values/quantity.ts'
import type { FieldReader, ReadReport } from './field-error.ts'
import { wrongType } from './report.ts'
import { int32 } from './scalar-readers.ts'

/** The common case: canonical, and a day that every month has. */
const plain = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/
const plainMicro =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/

/** The first second of the year 1: no time at all. */
const zero = '0001-01-01T00:00:00'

/** Reads a Time. The canonical form is in UTC with whole seconds. */
export function time(value: unknown, report: ReadReport, name: string): string | undefined {
  if (typeof value === 'string' && plain.test(value) && !value.startsWith(zero)) return value
  const parsed = readMoment(value, report, name, 'time')
  return parsed && `${parsed.seconds}Z`
}

/** Reads a MicroTime. The canonical form is in UTC with six fractional digits. */
export function microTime(value: unknown, report: ReadReport, name: string): string | undefined {
  if (typeof value === 'string' && plainMicro.test(value) && !value.startsWith(zero)) return value
  const parsed = readMoment(value, report, name, 'micro time')
  return parsed && `${parsed.seconds}.${parsed.fraction}Z`
}

function readMoment(
  value: unknown,
  report: ReadReport,
  name: string,
  form: 'time' | 'micro time',
): Moment | undefined {
  if (value === null) return undefined
  if (typeof value !== 'string') return wrongType(value, report, name, 'date-time')
  const parsed = parseMoment(value, form)
  if (parsed instanceof Error) {
    return wrongType(value, report, name, 'date-time', JSON.stringify(value))
  }
  return parsed.seconds === zero && !/[1-9]/.test(parsed.fraction) ? undefined : parsed
}

/** Reads a duration; gives its canonical form. */
export function duration(value: unknown, report: ReadReport, name: string): string | undefined {
  if (value === null) return undefined
  if (typeof value !== 'string') return wrongType(value, report, name, 'duration')
  const nanos = parseNanoseconds(value)
  if (nanos === undefined) return wrongType(value, report, name, 'duration', JSON.stringify(value))
  return printNanoseconds(nanos)
}

/** Space that a JSON text cannot hold unescaped: it is no space around a quantity. */
const escaped = /[\t-\r\ufeff]/

/** Reads a quantity, which may be a number in JSON; gives the text under which it is stored. Space around it is dropped. */
export function quantity(value: unknown, report: ReadReport, name: string): string | undefined {
  if (value === null) return undefined
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  if (typeof text !== 'string') return wrongType(value, report, name, 'quantity')
  const stored = storedQuantity(escaped.test(text) ? text : text.trim())
  if (stored !== undefined) return stored
  return wrongType(value, report, name, 'quantity', JSON.stringify(text))
}

/** Rounds quantities up to whole milli. Gives the same map if none is finer. */
export function roundedUpToMilli<T extends Amounts | undefined>(amounts: T): T {
  const all = Object.entries<string>(amounts ?? {})
  if (!all.some(([, text]) => roundedToMilli(text) !== text)) return amounts
  return Object.fromEntries(all.map(([name, text]) => [name, roundedToMilli(text)])) as T
}

type Amounts = Readonly<Record<string, string>>

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
/** Reads bytes in base64 with padding; line breaks are removed, and bits that belong to no byte are zero. */
export function bytes(value: unknown, report: ReadReport, name: string): string | undefined {
  if (value === null) return undefined
  if (typeof value !== 'string') return wrongType(value, report, name, 'base64 string')
  const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value
  if (text.length % 4 === 0 && base64.test(text)) {
    const end = text.slice(-4)
    return end.endsWith('=')
      ? text.slice(0, -4) + Buffer.from(end, 'base64').toString('base64')
      : text
  }
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

/** Reads an object that is kept as it was given. Senders may give any value, since nothing looks into it. */
export const raw: FieldReader<JsonObject> = (value) => any(value) as JsonObject | undefined
