import type { Json } from '../kernel/values/json.ts'

/**
 * A value as JSON would carry it: without properties that are undefined. What has none is given as
 * it is, not copied. It must hold nothing that JSON has not, such as dates. Values are compared by
 * reference, so that an unchanged part of a changed value is shared and not copied.
 */
export function toJson(value: unknown): Json {
  if (typeof value !== 'object' || value === null) return value as Json
  return Array.isArray(value) ? arrayToJson(value) : objectToJson(value)
}

function arrayToJson(items: readonly unknown[]): Json {
  const mapped = items.map(toJson)
  return mapped.every((item, at) => item === items[at]) ? (items as Json) : mapped
}

function objectToJson(object: object): Json {
  let changed = false
  const entries: [string, Json][] = []
  for (const [name, field] of Object.entries(object)) {
    if (field !== undefined) entries.push([name, toJson(field)])
    changed ||= field === undefined || entries.at(-1)?.[1] !== field
  }
  return changed ? Object.fromEntries(entries) : (object as Json)
}
