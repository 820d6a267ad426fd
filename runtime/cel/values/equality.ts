/** Equality and order of values. Both take steps: deep values cost by their first level only. */
import { spendSteps } from '../limits/step-limit.ts'
import { type Field, type ObjectType, typeName } from '../types/types.ts'
import { isList, isMap, itemAt, keysOf, lengthOf, lookup, sizeOfMap } from './collections.ts'
import {
  adopt,
  CelError,
  Double,
  Duration,
  type List,
  ListView,
  type MapLike,
  ObjectView,
  Opaque,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts'

/** True if two values are equal. Numbers of different types are equal if they are the same number. */
export function equals(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return sameTexts(a, b)
  if (a === b) return true
  const left = numberIn(a)
  if (left !== undefined) {
    const right = numberIn(b)
    if (right === undefined) return false
    if (a instanceof Double || b instanceof Double) return Number(left) === Number(right)
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number of one value are equal only so
    return left == right
  }
  spendSteps(3)
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return false
  if (isList(a)) return isList(b) && sameLists(a, b)
  if (isMap(a)) return isMap(b) && sameMaps(a, b)
  return sameInstances(a, b)
}

function sameTexts(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  spendSteps(1 + (a.length >> 6))
  return a === b
}

/** The number in a number value; undefined for other values. */
export function numberIn(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof Double || value instanceof Uint) return value.value
  return undefined
}

/** An error equals nothing, not even itself. */
function sameResults(a: Result | undefined, b: Result | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return !(a instanceof CelError) && !(b instanceof CelError) && equals(a, b)
}

/** The steps of reading a member on both sides. */
const stepsPerMember = 3

function sameLists(a: List, b: List): boolean {
  if (a instanceof ListView && a.relation !== undefined) return a.relation.equals(a, b)
  if (b instanceof ListView && b.relation !== undefined) return b.relation.equals(b, a)
  const length = lengthOf(a)
  if (length !== lengthOf(b)) return false
  spendSteps(stepsPerMember * length)
  for (let index = 0; index < length; index++) {
    if (!sameResults(itemAt(a, index), itemAt(b, index))) return false
  }
  return true
}

function sameMaps(a: MapLike, b: MapLike): boolean {
  const size = sizeOfMap(a)
  if (size !== sizeOfMap(b)) return false
  spendSteps(3 * stepsPerMember * size)
  return keysOf(a).every((key) => {
    const other = lookup(b, key)
    return other !== undefined && sameResults(lookup(a, key), other)
  })
}

function sameInstances(a: Value, b: Value): boolean {
  if (a instanceof ObjectView) return b instanceof ObjectView && sameObjects(a, b)
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0
  if (a instanceof TypeValue) return b instanceof TypeValue && typeName(a.type) === typeName(b.type)
  if (a instanceof Optional) return b instanceof Optional && sameResults(a.value, b.value)
  if (a instanceof Opaque && b instanceof Opaque && a.type.name === b.type.name) {
    return a.type.equals === undefined ? a.value === b.value : a.type.equals(a.value, b.value)
  }
  return false
}

/** Objects of one type, by their declared fields and by what is not declared. */
function sameObjects(a: ObjectView, b: ObjectView): boolean {
  if (a.type.name !== b.type.name) return false
  const declared = a.type.fields().every((name) => {
    const field = a.type.field(name) as Field
    return sameResults(a.get(field), b.get(field))
  })
  return declared && sameUndeclared(a, b)
}

/** What a schema preserves without declaring it cannot be named, but is a part of the object. */
function sameUndeclared(a: ObjectView, b: ObjectView): boolean {
  const [left, right] = [undeclared(a), undeclared(b)]
  if (left.length !== right.length) return false
  return left.every((key) => {
    return Object.hasOwn(b.raw, key) && equals(adopt(a.raw[key]), adopt(b.raw[key]))
  })
}

/** The raw properties of object types that were compared before. */
const properties = new WeakMap<ObjectType, ReadonlySet<string>>()

function undeclared({ raw, type }: ObjectView): readonly string[] {
  let known = properties.get(type)
  if (known === undefined) {
    known = new Set(type.fields().map((name) => (type.field(name) as Field).property))
    properties.set(type, known)
  }
  const declared = known
  return Object.keys(raw).filter((key) => !declared.has(key))
}

/** The order of byte strings. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  spendSteps(Math.min(a.length, b.length) >> 6)
  return Buffer.compare(a, b)
}

const highUnit = /[\ud800-\udfff]/

/** The order of strings by code points, which UTF-16 units do not keep above U+FFFF. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  if (!highUnit.test(a) && !highUnit.test(b)) return a < b ? -1 : 1
  const length = Math.min(a.length, b.length)
  spendSteps(length >> 2)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return raised(left) - raised(right)
  }
  return a.length - b.length
}

/** Surrogates stand for code points above all other units. */
function raised(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
