import type { ReadReport } from './field-error.ts'
import { wrongType } from './report.ts'

/** Reads a string. */
export function string(value: unknown, report: ReadReport, name: string): string | undefined {
  if (typeof value === 'string') return value
  return value === null ? undefined : wrongType(value, report, name, 'string')
}

/** Reads a boolean. */
export function bool(value: unknown, report: ReadReport, name: string): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === null ? undefined : wrongType(value, report, name, 'boolean')
}

/** Reads a number, with or without a fraction. */
export function number(value: unknown, report: ReadReport, name: string): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  return value === null ? undefined : wrongType(value, report, name, 'number')
}

/** Reads a signed 32-bit integer. */
export function int32(value: unknown, report: ReadReport, name: string): number | undefined {
  if (typeof value === 'number' && (value | 0) === value) return value + 0
  return value === null ? undefined : notInteger(value, report, name, 'int32')
}

/**
 * Reads a signed 64-bit integer. One beyond 2^53 remains the bigint that was decoded, so that it is written unchanged,
 * although the type says number: no schema has a use for such values.
 */
export function int64(value: unknown, report: ReadReport, name: string): number | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value + 0
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value as never
  return value === null ? undefined : notInteger(value, report, name, 'int64')
}

function notInteger(value: unknown, report: ReadReport, name: string, want: string): undefined {
  const numeric = typeof value === 'number' || typeof value === 'bigint'
  if (numeric) return wrongType(value, report, name, want, `number ${value}`)
  return wrongType(value, report, name, 'integer')
}
