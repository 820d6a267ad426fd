/** The types of values at run time. */
import type { Type } from '../types/types.ts'
import * as types from '../types/types.ts'
import { isList, isMap } from './collections.ts'
import {
  CelError,
  Double,
  Duration,
  fail,
  ObjectView,
  Opaque,
  Optional,
  type Result,
  Timestamp,
  type TypeValue,
  Uint,
  type Value,
} from './values.ts'

const listOfAny = types.listType(types.dynType)
const mapOfAny = types.mapType(types.dynType, types.dynType)
const optionalOfAny = types.optionalType(types.dynType)

/** The type that a value shows at run time; members of collections are not looked at. */
export function typeOf(value: Value): Type {
  switch (typeof value) {
    case 'string':
      return types.stringType
    case 'boolean':
      return types.boolType
    case 'number':
    case 'bigint':
      return types.intType
  }
  if (value === null) return types.nullType
  if (isList(value)) return listOfAny
  if (isMap(value)) return mapOfAny
  if (value instanceof ObjectView || value instanceof Opaque) return value.type
  return typeOfInstance(value)
}

function typeOfInstance(
  value: Double | Uint | Uint8Array | Duration | Timestamp | Optional | TypeValue,
): Type {
  if (value instanceof Double) return types.doubleType
  if (value instanceof Uint) return types.uintType
  if (value instanceof Uint8Array) return types.bytesType
  if (value instanceof Duration) return types.durationType
  if (value instanceof Timestamp) return types.timestampType
  return value instanceof Optional ? optionalOfAny : types.typeType(value.type)
}

/** True if a value can be an argument of a declared type. */
export function isOfType(type: Type, value: Value): boolean {
  switch (type.kind) {
    case 'string':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'int':
      return typeof value === 'number' || typeof value === 'bigint'
    case 'dyn':
    case 'parameter':
      return true
    case 'list':
      return isList(value)
    case 'map':
      return isMap(value)
    default: {
      const actual = typeOf(value)
      return actual.kind === type.kind && types.typeName(actual) === types.typeName(type)
    }
  }
}

/** The first argument that is an error. */
export function errorAmong(args: readonly Result[]): CelError | undefined {
  return args.find((arg): arg is CelError => arg instanceof CelError)
}

/** The error of a call that no overload takes. */
export function noSuchOverload(): CelError {
  return fail('no such overload')
}
