/** Helpers for JSON values whose objects keep their properties sorted, as stored objects do. */
import { formatValue } from '../../kernel/validation/report.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'

/**
 * The JSON type of a value by the name that schemas have for it. A number without fraction is an
 * integer, however it was written: 1.0 will do for an integer (C-29). An integer that 64 bits do not hold, or a
 * number such as 1e18, is a double.
 */
export function jsonTypeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** A copy of the value with sorted properties in all its objects: how values without a schema are stored. */
export function sortKeysDeep(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeysDeep)
  if (!isObject(value)) return value
  const sorted: Record<string, Json> = {}
  for (const key of sortedKeys(value)) setOwnProperty(sorted, key, sortKeysDeep(value[key] as Json))
  return sorted
}

/**
 * The sorted keys of an object. Stored objects come sorted, so that the sort is skipped for them.
 * The order is by UTF-16 code units, that of stored objects, and not by locale.
 */
export function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value)
  for (let at = 1; at < keys.length; at++) {
    if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort()
  }
  return keys
}

/**
 * Sets an own property, `__proto__` included. Assigning that one would set the prototype: the
 * property of the client would be lost, and what it holds would be inherited.
 */
export function setOwnProperty(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value
  else {
    const own = { value, enumerable: true, writable: true, configurable: true }
    Object.defineProperty(target, key, own)
  }
}

/**
 * Formats a value for an error: objects and lists with the Go types that clients know from the
 * messages of the original (`map[string]interface {}{...}`), cut at 1024 characters. Keys are
 * sorted, so that equal values have equal messages. Scalars are printed as in every other error.
 */
export function formatValueWithTypes(value: unknown): string {
  if (value === null) return '"null"'
  if (typeof value !== 'object') return formatValue(value)
  const text = formatStructure(value as Json)
  return text.length > 1024 ? `${text.slice(0, 1024)}...` : text
}

function formatStructure(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatStructure).join(', ')}}`
  if (!isObject(value)) return formatValue(value)
  const fields: JsonObject = value
  const entries = Object.keys(fields)
    .sort()
    .map((key) => `${quoted(key)}:${formatStructure(fields[key])}`)
  return `map[string]interface {}{${entries.join(', ')}}`
}
