/** Readers of structs, lists, maps and unions: what generated code calls for values that have parts. */
import { define } from '../values/define-property.ts'
import type { FieldReader, ReadReport } from './field-error.ts'
import { prefixPaths, wrongType } from './report.ts'

/** `T` while a reader builds it. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The type of a property that is present. */
export type Present<T, K extends keyof T> = Exclude<T[K], undefined>

type Fields = Readonly<Record<string, unknown>>

const none: Fields = Object.freeze(Object.create(null) as Record<string, unknown>)

/** The properties of an object, for a `for in` loop. Anything else has none and is reported. */
export function fields(input: unknown, report: ReadReport): Fields {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Fields
  if (input !== null && input !== undefined) wrongType(input, report, '', 'object')
  return none
}

/** Reads a struct in a field: puts the name of the field before the paths that the struct reported. */
export function struct<T>(
  value: unknown,
  report: ReadReport,
  name: string,
  read: (input: unknown, report: ReadReport) => T,
): T | undefined {
  if (value === null || value === undefined) return undefined
  const { typeErrors: types, errors: findings, unknownFields: unknown } = report
  const t = types.length
  const f = findings.length
  const u = unknown.length
  const result = read(value, report)
  if (types.length !== t || findings.length !== f || unknown.length !== u) {
    prefixPaths(report, t, f, u, name)
  }
  return result
}

/** The JSON types by which the members of a union are told apart. */
type JsonType = 'array' | 'boolean' | 'number' | 'object' | 'string'

/** A reader of a value of several types: each JSON type has a reader. Fields that no member has are dropped without a word. */
export function union<T>(members: { readonly [K in JsonType]?: FieldReader<T> }): FieldReader<T> {
  const expected = Object.keys(members).join(' or ')
  return (value, report, name) => {
    if (value === null || value === undefined) return undefined
    const read = members[Array.isArray(value) ? 'array' : (typeof value as JsonType)]
    if (read === undefined) return wrongType(value, report, name, expected)
    const before = report.unknownFields.length
    const result = read(value, report, name)
    report.unknownFields.length = before
    return result
  }
}

/** Reads a list. A null item, and one that means nothing, is the zero value; without `zero` (structs), an empty object. */
export function list<T>(
  value: unknown,
  report: ReadReport,
  name: string,
  read: FieldReader<T>,
  zero?: T,
): readonly T[] | undefined {
  if (value === null || value === undefined) return undefined
  if (!Array.isArray(value)) return wrongType(value, report, name, 'array')
  const result: T[] = []
  const { typeErrors: types, errors: findings, unknownFields: unknown } = report
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index]
    const t = types.length
    const f = findings.length
    const u = unknown.length
    const got = item === null && zero !== undefined ? zero : read(item ?? none, report, '')
    if (got !== undefined) result.push(got)
    else if (zero !== undefined && types.length === t) result.push(zero)
    if (types.length !== t || findings.length !== f || unknown.length !== u) {
      prefixPaths(report, t, f, u, `${name}[${index}]`)
    }
  }
  return result
}

/**
 * Reads a map. The result has its keys sorted. A null value, and one that means nothing, is the zero value; without `zero`
 * (structs), an empty object.
 */
export function map<T>(
  value: unknown,
  report: ReadReport,
  name: string,
  read: FieldReader<T>,
  zero?: T,
): Readonly<Record<string, T>> | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) {
    return wrongType(value, report, name, 'map')
  }
  const input = value as Fields
  const result: Record<string, T> = {}
  const { typeErrors: types, errors: findings, unknownFields: unknown } = report
  for (const key of orderedKeys(input)) {
    const item = input[key]
    const t = types.length
    const f = findings.length
    const u = unknown.length
    const got = item === null && zero !== undefined ? zero : read(item ?? none, report, '')
    if (got !== undefined) define(result, key, got)
    else if (zero !== undefined && types.length === t) define(result, key, zero)
    if (types.length !== t || findings.length !== f || unknown.length !== u) {
      prefixPaths(report, t, f, u, `${name}[${key}]`)
    }
  }
  return result
}

function orderedKeys(input: Fields): readonly string[] {
  const keys = Object.keys(input)
  for (let index = 1; index < keys.length; index++) {
    if (keys[index - 1]! > keys[index]!) return keys.sort()
  }
  return keys
}

/** `out` with unknown properties, for types that preserve them. */
export function merged<T extends object>(out: T, rest: Readonly<Record<string, unknown>>): T {
  for (const key in rest) define(out as Record<string, unknown>, key, rest[key])
  return out
}

/** True for a list or map that is not empty. */
export function filled<T extends object>(value: T | null | undefined): value is T {
  if (value === null || value === undefined) return false
  if (Array.isArray(value)) return value.length > 0
  for (const _ in value) return true
  return false
}

/** A list or map that is always written: null where there is nothing in it, unless it is wanted as it was sent. */
export function kept<T extends object>(
  value: T | null | undefined,
  { asSent }: ReadReport,
): T | null {
  return value !== undefined && (asSent || filled(value)) ? value : null
}

/** Freezes a default deeply. What is frozen already is taken to be frozen deeply. */
export function constant<T>(value: unknown): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(constant)
    Object.freeze(value)
  }
  return value as T
}
