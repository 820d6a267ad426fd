import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Definition } from './definition.ts'

/** The definition whose rules do not ask for an optional old value; the same one if none does. */
export function withoutOptionalOldSelf(definition: Definition, extension: string): Definition {
  if (!JSON.stringify(definition.spec, plain).includes('"optionalOldSelf"')) return definition
  const word = `x-${extension}-validations`
  const versions = definition.spec.versions.map((version) => {
    const raw = version.schema?.openAPIV3Schema
    if (raw === undefined) return version
    return { ...version, schema: { openAPIV3Schema: cleaned(raw, word) as JsonObject } }
  })
  return { ...definition, spec: { ...definition.spec, versions } }
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function cleaned(schema: Json | undefined, word: string): Json | undefined {
  if (Array.isArray(schema)) return (schema as Json[]).map((one) => cleaned(one, word) as Json)
  if (!isObject(schema)) return schema
  const parts = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties' && isObject(value)) return [key, eachOf(value, word)]
    if (key === word && Array.isArray(value)) return [key, (value as Json[]).map(withoutIt)]
    return below.has(key) ? [key, cleaned(value, word)] : [key, value]
  })
  return Object.fromEntries(parts) as JsonObject
}

const below: ReadonlySet<string> = new Set(['items', 'additionalProperties'])

function eachOf(properties: JsonObject, word: string): JsonObject {
  const parts = Object.entries(properties).map(([name, one]) => [name, cleaned(one, word)])
  return Object.fromEntries(parts) as JsonObject
}

function withoutIt(rule: Json): Json {
  if (!isObject(rule)) return rule
  const { optionalOldSelf, ...rest } = rule
  return rest as JsonObject
}
