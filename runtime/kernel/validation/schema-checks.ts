import type { FieldReader, ReadReport } from './field-error.ts'
import { goValue } from './go-value.ts'
import { addError, formatValue, joinPath, required } from './report.ts'
import { string } from './scalar-readers.ts'

/** The bounds that a schema sets for a string or a number. Lengths are in characters (code points). */
export interface Bounds {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  /** What is said of a number out of bounds; the bounds themselves without it. */
  readonly refusal?: string
  /** The same of a number above the maximum, where that is another text. */
  readonly refusalAbove?: string
}

/** How a value outside of a closed set is refused. */
interface Refusal {
  /** The set is listed in the order of declaration, not sorted. */
  readonly order?: 'declared'
  /** The value is invalid for this reason, and the set is not listed. */
  readonly refusal?: string
}

/** A reader of strings of a closed set. */
export function oneOf<T extends string>(
  values: readonly T[],
  { order, refusal }: Refusal = {},
): FieldReader<T> {
  const known = new Set<string>(values)
  const listed = order === 'declared' ? values : [...values].sort()
  const supported = listed.map(goValue).join(', ')
  return (value, report, name) => {
    if (typeof value === 'string') {
      if (known.has(value)) return value as T
      if (refusal === undefined) unsupported(value, report, name, supported)
      else invalid(value, report, name, refusal)
      return value as T
    }
    return string(value, report, name) as T | undefined
  }
}

/** Reads a text or a number; an empty text and zero are missing. */
export function present<T>(
  value: unknown,
  report: ReadReport,
  name: string,
  read: FieldReader<T>,
  detail: string,
): T | undefined {
  if (value !== '' && value !== 0) return read(value, report, name)
  required(report, name, detail)
  return value as T
}

function unsupported(value: string, report: ReadReport, name: string, supported: string): void {
  const message = `Unsupported value: ${goValue(value)}: supported values: ${supported}`
  addError(report, { path: name, reason: 'FieldValueNotSupported', message })
}

/** Adds bounds to a reader. */
export function bounded<T extends string | number>(
  read: FieldReader<T>,
  bounds: Bounds,
): FieldReader<T> {
  const pattern = bounds.pattern === undefined ? undefined : new RegExp(bounds.pattern, 'u')
  return (value, report, name) => {
    const got = read(value, report, name)
    if (typeof got === 'string') checkText(got, report, name, bounds, pattern)
    else if (got !== undefined) checkNumber(got, report, name, bounds)
    return got
  }
}

function checkText(
  value: string,
  report: ReadReport,
  name: string,
  bounds: Bounds,
  pattern: RegExp | undefined,
): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = bounds
  // Public clients expect the reason of a missing value for an empty text that must not be empty.
  if (value === '' && minLength > 0) {
    required(report, name)
    return
  }
  const length =
    value.length < minLength || value.length > maxLength ? [...value].length : value.length
  if (length < minLength) {
    invalid(value, report, name, `must be at least ${minLength} characters long`)
  }
  if (length > maxLength) {
    const message = `Too long: may not be longer than ${maxLength}`
    addError(report, { path: name, reason: 'FieldValueTooLong', message })
  } else if (pattern !== undefined && !pattern.test(value)) {
    invalid(value, report, name, `must match the pattern ${bounds.pattern}`)
  }
}

function checkNumber(value: number, report: ReadReport, name: string, bounds: Bounds): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, refusal, refusalAbove } = bounds
  const refuse = (detail: string) => invalid(value, report, name, refusal ?? detail)
  const [low, high] = [
    minimum !== undefined && value < minimum,
    maximum !== undefined && value > maximum,
  ]
  if (high && refusalAbove !== undefined) invalid(value, report, name, refusalAbove)
  else if ((low || high) && minimum !== undefined && maximum !== undefined) {
    refuse(`must be between ${minimum} and ${maximum}, inclusive`)
  } else if (low) refuse(`must be greater than or equal to ${minimum}`)
  else if (high) refuse(`must be less than or equal to ${maximum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    refuse(`must be greater than ${exclusiveMinimum}`)
  }
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    refuse(`must be less than ${exclusiveMaximum}`)
  }
}

function invalid(value: unknown, report: ReadReport, name: string, detail: string): void {
  const message = `Invalid value: ${goValue(value)}: ${detail}`
  addError(report, { path: name, reason: 'FieldValueInvalid', message })
}

type ListValue<T> = readonly T[] | null | undefined

/** Reports a list that is too short or too long; returns it. */
export function count<L extends ListValue<unknown>>(
  value: L,
  report: ReadReport,
  name: string,
  min: number,
  max: number,
  missing?: string,
): L {
  if (!value) return value
  if (value.length === 0 && missing !== undefined) required(report, name, missing)
  else if (value.length < min) tooFew(value.length, report, name, min)
  if (value.length > max) {
    const message = `Too many: ${value.length}: must have at most ${max} items`
    addError(report, { path: name, reason: 'FieldValueTooMany', message })
  }
  return value
}

/** Public clients expect the reason of a missing value for an empty list that must not be empty. */
function tooFew(length: number, report: ReadReport, name: string, min: number): void {
  const detail = `must have at least ${min} ${min === 1 ? 'item' : 'items'}`
  if (length > 0) invalid(length, report, name, detail)
  else
    addError(report, {
      path: name,
      reason: 'FieldValueRequired',
      message: `Required value: ${detail}`,
    })
}

/** Reports duplicate items of a set; returns the list. */
export function set<L extends ListValue<unknown>>(value: L, report: ReadReport, name: string): L {
  if (!value || value.length < 2) return value
  const seen = new Set<unknown>()
  value.forEach((item, index) => {
    const identity = typeof item === 'object' ? formatValue(item) : item
    if (seen.has(identity)) duplicate(item, report, `${name}[${index}]`)
    seen.add(identity)
  })
  return value
}

/** Reports items of a `map` list with the same keys as an earlier item; returns the list. */
export function keyed<L extends ListValue<object>>(
  value: L,
  report: ReadReport,
  name: string,
  keys: readonly string[],
): L {
  if (!value || value.length < 2) return value
  const seen = new Set<unknown>()
  value.forEach((item, index) => {
    const facts = item as Readonly<Record<string, unknown>>
    const [only] = keys
    const identity =
      keys.length === 1 ? facts[only!] : formatValue(keys.map((key) => facts[key] ?? null))
    if (seen.has(identity)) {
      const path = `${name}[${index}]`
      if (keys.length === 1) duplicate(identity, report, joinPath(path, only!))
      else duplicate(Object.fromEntries(keys.map((key) => [key, facts[key]])), report, path)
    }
    seen.add(identity)
  })
  return value
}

function duplicate(value: unknown, report: ReadReport, path: string): void {
  const message = `Duplicate value: ${goValue(value)}`
  addError(report, { path, reason: 'FieldValueDuplicate', message })
}
