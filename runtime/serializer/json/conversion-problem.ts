/** Why the value that a strategic merge patch made is no object of its kind, in the words of public servers. */
import type { FieldType, FieldTypes } from '../../kernel/descriptors/field-types.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { scalarProblem } from './scalar-problem.ts'
import { typeName } from './type-name.ts'

/** The first problem in the order of the fields' declaration; undefined if there is none. */
export function conversionProblem(
  types: FieldTypes,
  struct: string,
  value: Json,
): string | undefined {
  return problemOf(types, struct, typeName(struct), value)
}

function problemOf(
  types: FieldTypes,
  type: FieldType,
  name: string,
  value: Json | undefined,
): string | undefined {
  if (value === null || value === undefined) return undefined
  if (type.startsWith('[]')) return listProblem(types, type.slice(2), name, value)
  if (type.startsWith(mapPrefix))
    return mapProblem(types, type.slice(mapPrefix.length), name, value)
  if (Object.hasOwn(types.structs, type)) return structProblem(types, type, value)
  if (Object.hasOwn(types.unions, type)) return undefined
  return leafProblem(type, name, value)
}

const mapPrefix = 'map[string]'

function listProblem(types: FieldTypes, items: FieldType, name: string, value: Json) {
  if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`
  const inner = name.startsWith('[]') ? name.slice(2) : typeName(items)
  return first(value, (item) => problemOf(types, items, inner, item))
}

function mapProblem(types: FieldTypes, values: FieldType, name: string, value: Json) {
  if (!isObject(value)) return `cannot restore map from ${kindOf(value)}`
  const inner = name.startsWith('map[') ? name.slice(name.indexOf(']') + 1) : typeName(values)
  return first(Object.values(value), (item) => problemOf(types, values, inner, item ?? null))
}

function structProblem(types: FieldTypes, id: string, value: Json) {
  if (!isObject(value)) return `cannot restore struct from: ${kindOf(value)}`
  return first(Object.entries(types.structs[id] ?? {}), ([field, row]) => {
    if (!Object.hasOwn(value, field)) return undefined
    const [type, name] = typeof row === 'string' ? [row, typeName(row)] : row
    return problemOf(types, type, name, value[field])
  })
}

function first<T>(all: readonly T[], problem: (each: T) => string | undefined): string | undefined {
  for (const each of all) {
    const found = problem(each)
    if (found !== undefined) return found
  }
  return undefined
}

/** Types with a text form of their own decode it themselves; what can be converted, but loses by it, is told so. */
function leafProblem(type: FieldType, name: string, value: Json): string | undefined {
  const problem = scalarProblem(type, name, value, numeralOf(value))
  if (problem === undefined) return undefined
  const { text, name: target, ends } = problem
  if (ends) {
    return target === undefined
      ? text
      : `json: cannot unmarshal ${text} into Go value of type ${target}`
  }
  if (type === 'bytes') {
    return typeof value === 'string'
      ? `error decoding from json: ${text}`
      : `cannot restore slice from ${kindOf(value)}`
  }
  const got = kindOf(value)
  const number = got === 'int64' || got === 'float64'
  const integer = type === 'int32' || type === 'int64'
  if (integer ? number : got === 'int64' && isText(type)) return `cannot convert ${got} to ${name}`
  return `unrecognized type: ${isText(type) ? 'string' : type}`
}

function isText(type: FieldType): boolean {
  return !['int32', 'int64', 'float64', 'bool', 'bytes'].includes(type)
}

function numeralOf(value: Json): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
}

/** What a value is there, once it was decoded. */
function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'slice'
  if (isObject(value)) return 'map'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64'
  return typeof value === 'bigint' ? 'int64' : 'string'
}
