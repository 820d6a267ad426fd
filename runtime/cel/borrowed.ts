/** Stands in for the engine until it is there. */
import { isList, isMap, itemAt, keysOf, lengthOf, lookup, sizeOfMap } from './collections.ts'
import {
  CelError,
  Double,
  Duration,
  fail,
  intOf,
  ListView,
  ObjectView,
  Opaque,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts'

export function equal(a: Value, b: Value): boolean | CelError {
  if (a === b) return true
  const [x, y] = [numeric(a), numeric(b)]
  if (x !== undefined && y !== undefined) return x === y
  if (a instanceof Double && b instanceof Double) return a.value === b.value
  if (a instanceof Duration && b instanceof Duration) return a.nanos === b.nanos
  if (a instanceof Timestamp && b instanceof Timestamp) return a.nanos === b.nanos
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0
  if (a instanceof Opaque && b instanceof Opaque)
    return a.type === b.type && (a.type.equals?.(a.value, b.value) ?? a.value === b.value)
  if (isList(a) && isList(b)) {
    if (a instanceof ListView && a.relation) return a.relation.equals(a, b)
    if (lengthOf(a) !== lengthOf(b)) return false
    for (let i = 0; i < lengthOf(a); i++) {
      const [l, r] = [itemAt(a, i), itemAt(b, i)]
      if (l instanceof CelError) return l
      if (r instanceof CelError) return r
      const e = equal(l, r)
      if (e !== true) return e
    }
    return true
  }
  if (isMap(a) && isMap(b)) {
    if (sizeOfMap(a) !== sizeOfMap(b)) return false
    for (const k of keysOf(a)) {
      const [l, r] = [lookup(a, k), lookup(b, k)]
      if (l === undefined || r === undefined) return false
      if (l instanceof CelError) return l
      if (r instanceof CelError) return r
      const e = equal(l, r)
      if (e !== true) return e
    }
    return true
  }
  if (a instanceof ObjectView && b instanceof ObjectView) {
    for (const name of a.type.fields()) {
      const f = a.type.field(name)!
      const [l, r] = [a.get(f), b.get(f)]
      if (l === undefined && r === undefined) continue
      if (l === undefined || r === undefined) return false
      if (l instanceof CelError) return l
      if (r instanceof CelError) return r
      const e = equal(l, r)
      if (e !== true) return e
    }
    return true
  }
  return false
}

function numeric(v: Value): number | bigint | undefined {
  if (typeof v === 'number' || typeof v === 'bigint') return v
  if (v instanceof Uint) return Number.isSafeInteger(Number(v.value)) ? Number(v.value) : v.value
  return v instanceof Double && Number.isSafeInteger(v.value) ? v.value + 0 : undefined
}

function order(v: Value): number | bigint | string | undefined {
  if (typeof v === 'number' || typeof v === 'bigint' || typeof v === 'string') return v
  if (typeof v === 'boolean') return v ? 1 : 0
  if (v instanceof Uint || v instanceof Double) return v.value
  if (v instanceof Duration || v instanceof Timestamp) return v.nanos
  return v instanceof Uint8Array ? Buffer.from(v).toString('latin1') : undefined
}

export function compare(a: Value, b: Value): number | CelError {
  const [x, y] = [order(a), order(b)]
  if (x === undefined || y === undefined) return fail('no such overload')
  return x < y ? -1 : x > y ? 1 : 0
}

export function add(a: Value, b: Value): Result {
  if (a instanceof Double && b instanceof Double) return new Double(a.value + b.value)
  if (a instanceof Uint && b instanceof Uint) return new Uint(a.value + b.value)
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos + b.nanos)
  if (
    (typeof a === 'number' || typeof a === 'bigint') &&
    (typeof b === 'number' || typeof b === 'bigint')
  )
    return intOf(BigInt(a) + BigInt(b))
  return fail('no such overload')
}

export function doubleText(v: number): string {
  return String(v)
}
export function durationText(v: Duration): string {
  return `${Number(v.nanos) / 1e9}s`
}
export function timestampText(v: Timestamp): string {
  return new Date(Number(v.nanos / 1000000n)).toISOString().replace('.000Z', 'Z')
}
export function typeNameOf(v: Value): string {
  if (v === null) return 'null_type'
  if (typeof v === 'string') return 'string'
  if (typeof v === 'boolean') return 'bool'
  if (typeof v === 'number' || typeof v === 'bigint') return 'int'
  if (v instanceof Uint) return 'uint'
  if (v instanceof Double) return 'double'
  if (v instanceof Duration) return 'google.protobuf.Duration'
  if (v instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (v instanceof Uint8Array) return 'bytes'
  if (v instanceof TypeValue) return 'type'
  if (v instanceof Optional) return 'optional_type'
  if (v instanceof Opaque) return v.type.name
  if (isList(v)) return 'list'
  return isMap(v) ? 'map' : 'object'
}
