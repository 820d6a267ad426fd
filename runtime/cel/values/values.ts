/** Values at run time. */
import { spendSteps } from '../limits/step-limit.ts'
import type { Field, ObjectType, OpaqueType, Type } from '../types/types.ts'

/**
 * Values. The common ones are the JavaScript values that JSON text gives, so that an object is read in place:
 *
 * - an int is a `number` while it is a safe integer and a `bigint` (of 64 bits) beyond, never both for one int;
 * - a list is an array, or a `ListView` over one whose items need reading (a timestamp in a string, an object);
 * - a map is a plain object with string keys, a `MapView` over one, or a `MapValue` that an expression built;
 * - an object with declared fields is an `ObjectView` over a plain object.
 *
 * Numbers in raw arrays and plain objects may be doubles, and bigints may be anything: take members with `itemAt`,
 * `itemsOf` or `lookup` (collections.ts), which give each its type by `adopt`.
 */
export type Value =
  | null
  | boolean
  | Int
  | string
  | Double
  | Uint
  | Uint8Array
  | Duration
  | Timestamp
  | List
  | MapLike
  | ObjectView
  | Optional
  | TypeValue
  | Opaque

/** A signed integer of 64 bits. */
export type Int = number | bigint

/** What evaluation gives. Errors are values: `||`, `&&`, `all` and `exists` may absorb them, all else passes them on. */
export type Result = Value | CelError

/** A list in any of its representations. */
export type List = readonly Value[] | ListView | ListJoin
/** A map in any of its representations. */
export type MapLike = PlainMap | MapView | MapValue

/** A map with string keys, as raw JSON. */
export interface PlainMap {
  readonly [key: string]: Value
}

/** A floating point number. */
export class Double {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

/** A span of time in nanoseconds, of 64 bits. */
export class Duration {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A point in time: nanoseconds since 1970 in UTC, from year 1 to year 9999. */
export class Timestamp {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A value or none. */
export class Optional {
  static readonly none: Optional = new Optional(undefined)
  readonly value: Value | undefined
  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** A type as a value, which `type(x)` gives. */
export class TypeValue {
  readonly type: Type
  constructor(type: Type) {
    this.type = type
  }
}

/** A value of a library's type. */
export class Opaque<T = unknown> {
  readonly type: OpaqueType
  readonly value: T
  constructor(type: OpaqueType, value: T) {
    this.type = type
    this.value = value
  }
}

/** How a list of a declared type (set, map by keys) compares and concatenates; `right` may be any list. */
export interface ListRelation {
  equals(left: ListView, right: List): boolean
  concat(left: ListView, right: List): List
}

/** A raw list whose items are read when they are looked at. Without a relation, order matters. */
export class ListView {
  readonly raw: readonly unknown[]
  readonly read: (raw: unknown) => Result
  readonly relation: ListRelation | undefined
  constructor(
    raw: readonly unknown[],
    read: (raw: unknown) => Result,
    relation: ListRelation | undefined = undefined,
  ) {
    this.raw = raw
    this.read = read
    this.relation = relation
  }
}

/** One list after another, without copying: concatenation costs one unit whatever the sizes. */
export class ListJoin {
  readonly left: List
  readonly right: List
  readonly length: number
  readonly depth: number
  constructor(left: List, right: List, length: number, depth: number) {
    this.left = left
    this.right = right
    this.length = length
    this.depth = depth
  }
}

/** A raw JSON object read as a map with string keys; values are read when they are looked at. */
export class MapView {
  readonly raw: Readonly<Record<string, unknown>>
  readonly read: (raw: unknown) => Result
  constructor(raw: Readonly<Record<string, unknown>>, read: (raw: unknown) => Result) {
    this.raw = raw
    this.read = read
  }
}

/** A map that an expression built. Entries are by their normalised key: see `mapKeyOf` in collections.ts. */
export class MapValue {
  readonly entries: ReadonlyMap<string | number | bigint | boolean, MapEntry>
  constructor(entries: ReadonlyMap<string | number | bigint | boolean, MapEntry>) {
    this.entries = entries
  }
}

/** A key and its value. */
export interface MapEntry {
  readonly key: Value
  readonly value: Value
}

/** A raw JSON object with declared fields. A property that is absent or null is a field that is not set. */
export class ObjectView {
  readonly raw: Readonly<Record<string, unknown>>
  readonly type: ObjectType
  constructor(raw: Readonly<Record<string, unknown>>, type: ObjectType) {
    this.raw = raw
    this.type = type
  }

  /** The field's value; undefined if it is not set. */
  get(field: Field): Result | undefined {
    if (!Object.hasOwn(this.raw, field.property)) return undefined
    const raw = this.raw[field.property]
    return raw === undefined || raw === null ? undefined : (field.read(raw) as Result)
  }
}

/** Why an expression has no value. */
export class CelError {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const stepsPerError = 4

/** An error as the result of a function. Errors that are absorbed cost nothing, so they take steps. */
export function fail(message: string): CelError {
  spendSteps(stepsPerError)
  return new CelError(message)
}

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

/** A bigint as an int in its one form, or the error for one that needs more than 64 bits. */
export function intOf(value: bigint): Int | CelError {
  if (value < least || value > most) return fail('integer overflow')
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/**
 * A raw JSON value as a value, without copying: numbers without a fraction are ints (the text `1.0` is lost when JSON
 * is parsed), other numbers doubles, arrays lists, objects maps.
 */
export function adopt(raw: unknown): Value {
  if (typeof raw === 'number') {
    return Number.isSafeInteger(raw) ? raw + 0 : new Double(raw)
  }
  if (typeof raw === 'bigint') {
    const int = intOf(raw)
    return int instanceof CelError ? new Double(Number(raw)) : int
  }
  return raw as Value
}
