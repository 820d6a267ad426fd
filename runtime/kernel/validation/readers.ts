/**
 * What generated readers are made of: one function for each JSON shape and text form.
 *
 * Laws, held by `test/runtime/kernel/validation/readers.test.ts`:
 *  1. Nothing throws; what is wrong goes into the report, under the path `name`.
 *  2. `null` is absent: every reader answers `undefined` for it, and for a value of the wrong type.
 *  3. A value without findings builds no path: paths grow on the way out, only where something was reported.
 *  4. No key of the input is ever a property of a prototype; maps define `__proto__` as an own property.
 *  5. The report is bounded: see `findings.ts`.
 */

import type { FieldReader, ReadReport } from './field-error.ts'
import { prefixPaths, wrongType } from './report.ts'

/** `T` while a reader builds it. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** What a property holds when it is there. */
export type Present<T, K extends keyof T> = Exclude<T[K], undefined>

type Fields = Readonly<Record<string, unknown>>

const none: Fields = Object.freeze(Object.create(null) as Record<string, unknown>)

/** The properties of an object, for a `for in` loop; none and a type finding for anything else. */
export function fields(input: unknown, report: ReadReport): Fields {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Fields
  if (input !== null && input !== undefined) wrongType(input, report, '', 'object')
  return none
}

/** Reads a struct-valued field and puts the field's name before whatever the struct reported. */
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

/** The JSON types that a union tells its members apart by. */
type JsonType = 'array' | 'boolean' | 'number' | 'object' | 'string'

/** Reads a value of one of several types by the reader of its JSON type. */
export function union<T>(members: { readonly [K in JsonType]?: FieldReader<T> }): FieldReader<T> {
  const expected = Object.keys(members).join(' or ')
  return (value, report, name) => {
    if (value === null || value === undefined) return undefined
    const read = members[Array.isArray(value) ? 'array' : (typeof value as JsonType)]
    return read === undefined ? wrongType(value, report, name, expected) : read(value, report, name)
  }
}

/** Reads a list. A null item is the zero value; without `zero` (structs), an empty object. */
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
    if (types.length !== t || findings.length !== f || unknown.length !== u) {
      prefixPaths(report, t, f, u, `${name}[${index}]`)
    }
  }
  return result
}

/** Reads an object with arbitrary keys; the result has its keys in order. */
export function map<T>(
  value: unknown,
  report: ReadReport,
  name: string,
  read: FieldReader<T>,
  zero?: T,
): Readonly<Record<string, T>> | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) {
    return wrongType(value, report, name, 'object')
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

/** Sets a property whose name came from outside: always an own one. */
export function define<T>(target: Record<string, T>, key: string, value: T): void {
  if (key !== '__proto__') target[key] = value
  else
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
}

/** `out` with the unknown properties that its type keeps. */
export function merged<T extends object>(out: T, rest: Readonly<Record<string, unknown>>): T {
  for (const key in rest) define(out as Record<string, unknown>, key, rest[key])
  return out
}

/** True for a list or map that has something in it. */
export function filled<T extends object>(value: T | null | undefined): value is T {
  if (value === null || value === undefined) return false
  if (Array.isArray(value)) return value.length > 0
  for (const _ in value) return true
  return false
}

/** A deeply frozen value: what an absent field stands for. Whatever in it is frozen already is taken to be so deeply. */
export function constant<T>(value: unknown): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(constant)
    Object.freeze(value)
  }
  return value as T
}

export type { FieldReader, ReadReport } from './field-error.ts'
export { required, unknownField } from './report.ts'
export {
  any,
  bytes,
  duration,
  intOrString,
  microTime,
  object,
  quantity,
  roundedUpToMilli,
  time,
} from './scalar-formats.ts'
export { bool, int32, int64, number, string } from './scalar-readers.ts'
export { bounded, count, keyed, oneOf, set } from './schema-checks.ts'
