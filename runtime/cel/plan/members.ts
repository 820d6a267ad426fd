/** Reads a field, a key or an item of a value while an expression runs. */

import { entryOf, itemOf, noSuchKey } from '../standard/collections.ts'
import { isList, isMap, isPlain, lookup } from '../values/collections.ts'
import { CelError, fail, ObjectView, Optional, type Result, type Value } from '../values/values.ts'

/** The member of a JSON object. `careful`: every object inherits a member of that name, so only an own one counts. */
export function own(
  object: Readonly<Record<string, unknown>>,
  name: string,
  careful: boolean,
): unknown {
  return careful && !Object.hasOwn(object, name) ? undefined : object[name]
}

/** The names that every JavaScript object has, such as `constructor`: they need the careful look. */
export const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** `value.name`; an error if there is no such field or key. */
export function fieldOf(value: Result, name: string): Result {
  if (value instanceof CelError) return value
  if (value instanceof Optional) {
    return value.value === undefined ? value : fieldOfInner(value.value, name)
  }
  const found = present(value, name)
  return found === undefined ? noSuchKey(name) : found
}

/** A field of what is inside an optional: what has no fields at all is an error here. */
function fieldOfInner(value: Value, name: string): Result {
  const found = present(value, name)
  if (found instanceof CelError) return found
  const fields = isMap(value) || value instanceof ObjectView
  return found === undefined && !fields ? noSuchKey(name) : optionalOf(found)
}

/** The value of a field or key, undefined if it is absent. Values without fields have none. */
function present(value: Value, name: string): Result | undefined {
  if (value instanceof ObjectView) {
    const field = value.type.field(name)
    return field === undefined ? fail(`no such field '${name}'`) : value.get(field)
  }
  if (isMap(value)) return lookup(value, name)
  return isList(value) ? itemOf(value, name) : undefined
}

/** `has(value.name)` for a value whose type is known only at run time. */
export function hasField(value: Result, name: string): Result {
  if (isPlain(value)) return Object.hasOwn(value, name)
  if (value instanceof CelError) return value
  if (value instanceof Optional) {
    return value.value === undefined ? false : hasField(value.value, name)
  }
  const found = present(value, name)
  return found instanceof CelError ? found : found !== undefined
}

/** The optional of a value that may be absent. */
function optionalOf(value: Value | undefined): Optional {
  return value === undefined ? Optional.none : new Optional(value)
}

/** `value.?name`: an optional, empty if the field is absent. */
export function optionalField(value: Result, name: string): Result {
  if (value instanceof CelError) return value
  const inner = value instanceof Optional ? value.value : value
  if (inner === undefined) return Optional.none
  const found = present(inner, name)
  return found instanceof CelError ? found : optionalOf(found)
}

/** `value[key]`; an error if there is no such item or key. */
export function indexed(value: Value, key: Value): Result {
  if (isList(value)) return itemOf(value, key)
  if (isMap(value)) return entryOf(value, key)
  if (value instanceof ObjectView && typeof key === 'string') return fieldOf(value, key)
  if (value instanceof Optional) return optionallyIndexed(value, key)
  return noSuchKey(key)
}

/** `value[?key]`: an optional, empty if there is no such item or key. */
export function optionallyIndexed(value: Value, key: Value): Result {
  const inner = value instanceof Optional ? value.value : value
  if (inner === undefined) return Optional.none
  if (isMap(inner)) {
    const found = lookup(inner, key)
    return found instanceof CelError ? found : optionalOf(found)
  }
  if (!isList(inner)) return Optional.none
  const item = itemOf(inner, key)
  if (!(item instanceof CelError)) return new Optional(item)
  return item.message.startsWith('index out of bounds') ? Optional.none : item
}
