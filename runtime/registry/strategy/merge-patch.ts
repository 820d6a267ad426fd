import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'

/**
 * Applies a JSON merge patch (RFC 7386): null deletes, objects merge, everything else replaces. Fields keep their order, new ones
 * follow; `__proto__` is a key like any other.
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result: Record<string, Json> = {}
  const base: JsonObject = isObject(target) ? target : {}
  for (const [key, value] of Object.entries(base)) {
    if (value !== undefined && !Object.hasOwn(patch, key)) define(result, key, value)
    else if (value !== undefined && patch[key] !== null) {
      define(result, key, applyMergePatch(value, patch[key] as Json))
    }
  }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined || Object.hasOwn(base, key)) continue
    define(result, key, applyMergePatch(undefined, value))
  }
  return result
}
