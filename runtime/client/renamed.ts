/**
 * Other names for keys of labels, finalizers, groups and the like in objects, patches and selectors. Only exact names are
 * replaced, and only where such a name can stand: everything else in an object is its author's.
 */

import { isObject, type Json, type JsonObject } from '../kernel/values/json.ts'
import { escapedStep, unescapedStep } from '../kernel/values/json-pointer.ts'

/** New names by old ones. */
export type Renames = ReadonlyMap<string, string>

/** What stands in fields that can hold names, or in which everything is its author's. */
const places: ReadonlyMap<string, 'keys' | 'name' | 'items' | 'selector' | 'author' | 'fields'> =
  new Map([
    ...at('keys', 'annotations', 'deprecatedTopology', 'labels', 'matchLabels', 'nodeSelector'),
    ...at('name', 'apiGroup', 'apiVersion', 'group', 'key', 'signerName', 'topologyKey', 'type'),
    ...at(
      'items',
      'apiGroups',
      'finalizers',
      'matchLabelKeys',
      'mismatchLabelKeys',
      'topologyKeys',
    ),
    ...at('selector', 'selector'),
    ...at('author', 'binaryData', 'data', 'openAPIV3Schema', 'options', 'parameters'),
    ...at('author', 'stringData', 'volumeAttributes'),
    ...at('fields', 'fieldsV1'),
  ])

function at<P extends string>(place: P, ...fields: readonly string[]): (readonly [string, P])[] {
  return fields.map((field) => [field, place])
}

/** The value with other names; the same value if none stands in it. */
export function renamed(value: unknown, names: Renames): unknown {
  if (Array.isArray(value)) return renamedItems(value, (item) => renamed(item, names))
  return isObject(value)
    ? renamedFields(value, (name, field) => renamedField(name, field, names))
    : value
}

/** A JSON Patch with other names, in its paths, too. */
export function renamedPatch(operations: readonly unknown[], names: Renames): readonly unknown[] {
  return renamedItems(operations, (operation) => {
    if (!isObject(operation)) return operation
    const { path } = operation
    const last = typeof path === 'string' ? path.slice(path.lastIndexOf('/') + 1) : ''
    return renamedFields(operation, (name, value) => {
      if (name === 'path' || name === 'from') return renamedPointer(value, names)
      return name === 'value' ? renamedField(last, value, names) : value
    })
  })
}

/** The text of a label selector or a field selector with other names. */
export function renamedSelector(text: string, names: Renames): string {
  return text.replace(/[^\s,()=!<>]+/g, (word) => renamedName(word, names))
}

/** A name, or an `apiVersion` whose group is one. */
function renamedName(text: string, names: Renames): string {
  const other = names.get(text)
  if (other !== undefined) return other
  const slash = text.indexOf('/')
  const group = slash > 0 ? names.get(text.slice(0, slash)) : undefined
  return group !== undefined && /^\/v\d\w*$/.test(text.slice(slash))
    ? `${group}${text.slice(slash)}`
    : text
}

function renamedField(name: string, value: Json | undefined, names: Renames): Json | undefined {
  // A directive of a strategic merge patch names the field that it is about: `$setElementOrder/finalizers`.
  const field = name.startsWith('$') ? name.slice(name.lastIndexOf('/') + 1) : name
  const place = places.get(field)
  if (typeof value === 'string') {
    if (place === 'name') return renamedName(value, names)
    return place === 'selector' ? renamedSelector(value, names) : value
  }
  if (typeof value !== 'object' || value === null || place === 'author') return value
  if (Array.isArray(value)) {
    if (place !== 'items') return renamed(value, names) as Json
    return renamedItems(value, (item) =>
      typeof item === 'string' ? renamedName(item, names) : item,
    ) as Json
  }
  if (place === 'fields') return renamedFieldSet(value as JsonObject, names)
  return place === 'keys' || place === 'selector'
    ? renamedMap(value as JsonObject, names)
    : (renamed(value, names) as Json)
}

/** A set of fields: `f:` is a name, `k:` an item by its keys, `v:` an item by its value. */
function renamedFieldSet(fields: JsonObject, names: Renames): JsonObject {
  const inner = renamedFields(fields, (_, value) =>
    isObject(value) ? renamedFieldSet(value, names) : value,
  )
  return withKeys(inner, (key) => {
    if (key.startsWith('f:')) return `f:${names.get(key.slice(2)) ?? key.slice(2)}`
    const isItem = key.startsWith('k:') || key.startsWith('v:')
    // Every name has a dot; most keys of items have none.
    if (!isItem || !key.includes('.')) return key
    try {
      const item: unknown = JSON.parse(key.slice(2))
      const other = typeof item === 'string' ? (names.get(item) ?? item) : renamed(item, names)
      return other === item ? key : key.slice(0, 2) + JSON.stringify(other)
    } catch {
      return key
    }
  })
}

/**
 * A map whose keys are names and whose texts are its author's; what it has beside texts is a selector's. One that has both names
 * of something keeps them: each is its own then.
 */
function renamedMap(map: JsonObject, names: Renames): JsonObject {
  const inner = renamedFields(map, (name, value) =>
    typeof value === 'string' ? value : renamedField(name, value, names),
  )
  return withKeys(inner, (key) => {
    const other = names.get(key)
    return other === undefined || Object.hasOwn(map, other) ? key : other
  })
}

function withKeys(map: JsonObject, keyOf: (key: string) => string): JsonObject {
  const keys = Object.keys(map)
  if (keys.every((key) => keyOf(key) === key)) return map
  const other = {}
  for (const key of keys) setOwn(other, keyOf(key), map[key])
  return other
}

/** `/metadata/labels/example.com~1name` with other names. */
function renamedPointer(pointer: Json | undefined, names: Renames): Json | undefined {
  if (typeof pointer !== 'string' || !pointer.includes('/')) return pointer
  const steps = pointer.split('/').map((step) => {
    const other = names.get(unescapedStep(step))
    return other === undefined ? step : escapedStep(other)
  })
  return steps.join('/')
}

function renamedItems<T>(items: readonly T[], item: (one: T) => T): readonly T[] {
  let changed: T[] | undefined
  items.forEach((one, at) => {
    const other = item(one)
    if (other === one) return
    changed ??= [...items]
    changed[at] = other
  })
  return changed ?? items
}

function renamedFields(
  object: JsonObject,
  field: (name: string, value: Json | undefined) => Json | undefined,
): JsonObject {
  let changed: JsonObject | undefined
  for (const name of Object.keys(object)) {
    const was = object[name]
    const is = field(name, was)
    if (is === was) continue
    changed ??= { ...object }
    setOwn(changed, name, is)
  }
  return changed ?? object
}

/** Sets an own property: a key may be `__proto__`. */
function setOwn(object: JsonObject, name: string, value: Json | undefined): void {
  if (name !== '__proto__') (object as Record<string, Json | undefined>)[name] = value
  else
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
}
