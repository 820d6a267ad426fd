import type { StructType, Type } from '../../codegen/schema/named-type.ts'
import type { Json, JsonObject } from '../../runtime/kernel/values/json.ts'
import type { SchemaValues } from './schema-values.ts'

/** A place in an object where a value of a type stands or may stand. */
export interface ValuePlace {
  readonly path: readonly (string | number)[]
  readonly type: Type
}

/** Every place of an object whose type is known: its fields, those that are absent too, and items of lists and maps. */
export function placesOf(
  values: SchemaValues,
  object: JsonObject,
  root: StructType,
): readonly ValuePlace[] {
  const found: ValuePlace[] = []
  const inStruct = (value: JsonObject, struct: StructType, path: ValuePlace['path']): void => {
    for (const field of struct.fields) visit(value[field.name], field.type, [...path, field.name])
  }
  const visit = (value: Json | undefined, type: Type, path: ValuePlace['path']): void => {
    found.push({ path, type })
    const target = values.resolved(type)
    if (target?.is === 'list' && Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, target.items, [...path, index])
      return
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    if (target?.is === 'struct') inStruct(value as JsonObject, target, path)
    if (target?.is === 'map')
      for (const [key, item] of Object.entries(value)) visit(item, target.values, [...path, key])
  }
  inStruct(object, root, [])
  return found
}

/** The value with another one at a path; undefined removes what is there. */
export function withValue(value: Json, path: ValuePlace['path'], put: Json | undefined): Json {
  const [step, ...rest] = path
  if (step === undefined) return put ?? null
  if (Array.isArray(value)) {
    const index = Number(step)
    if (rest.length === 0 && put === undefined) return value.filter((_, at) => at !== index)
    return value.map((item, at) => (at === index ? withValue(item, rest, put) : item))
  }
  const object = (value ?? {}) as JsonObject
  if (rest.length === 0 && put === undefined) {
    const { [step]: _, ...others } = object
    return others
  }
  return { ...object, [step]: withValue(object[step] ?? null, rest, put) }
}
