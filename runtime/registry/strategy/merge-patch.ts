import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'

/**
 * Applies a JSON merge patch (RFC 7386): null deletes, objects merge, everything else replaces. What is new has no nulls, not
 * in objects of its lists either. Fields keep their order, new ones follow; `__proto__` is a key like any other.
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(target)) return withoutNulls(patch)
  return isObject(patch) ? mergeObjects(target, patch) : patch
}

function mergeObjects(target: JsonObject, patch: JsonObject): Json {
  const result: Record<string, Json> = {}
  for (const [key, value] of Object.entries(target)) {
    if (value === undefined) continue
    const change = Object.hasOwn(patch, key) ? patch[key] : undefined
    if (change === undefined) define(result, key, value)
    else if (change !== null) define(result, key, applyMergePatch(value, change))
  }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined || Object.hasOwn(target, key)) continue
    define(result, key, withoutNulls(value))
  }
  return result
}

/** The value without properties that are null; items that are null stay. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutNulls(item))
  if (!isObject(value)) return value
  const result: Record<string, Json> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part !== null && part !== undefined) define(result, key, withoutNulls(part))
  }
  return result
}
