/**
 * Other names for keys of labels, finalizers, groups and the like in objects, patches and selectors. Only exact names are
 * replaced, and only where such a name can stand: everything else in an object is its author's.
 */

import { isObject, type Json, type JsonObject } from '../kernel/values/json.ts'

/** New names by old ones. */
export type Renames = ReadonlyMap<string, string>

/** Fields whose keys are names. */
const mapFields: ReadonlySet<string> = new Set([
  ...['annotations', 'deprecatedTopology', 'labels', 'matchLabels', 'nodeSelector', 'selector'],
])
/** Fields that are a name. */
const nameFields: ReadonlySet<string> = new Set([
  ...['apiGroup', 'apiVersion', 'group', 'key', 'signerName', 'topologyKey', 'type'],
])
/** Fields whose items are names. */
const listFields: ReadonlySet<string> = new Set([
  ...['apiGroups', 'finalizers', 'matchLabelKeys', 'mismatchLabelKeys', 'topologyKeys'],
])

/** Fields in which everything is its author's. */
const authorsFields: ReadonlySet<string> = new Set([
  ...[
    'binaryData',
    'data',
    'openAPIV3Schema',
    'options',
    'parameters',
    'stringData',
    'volumeAttributes',
  ],
])

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
  const field = name.startsWith('$') ? name.slice(name.lastIndexOf('/') + 1) : name
  if (typeof value === 'string') {
    if (nameFields.has(field)) return renamedName(value, names)
    return field === 'selector' ? renamedSelector(value, names) : value
  }
  if (Array.isArray(value) && listFields.has(field)) {
    return renamedItems(value, (item) =>
      typeof item === 'string' ? renamedName(item, names) : item,
    ) as Json
  }
  if (field === 'fieldsV1' && isObject(value)) return renamedFieldSet(value, names)
  if (authorsFields.has(field)) return value
  return mapFields.has(field) && isObject(value)
    ? renamedMap(value, names)
    : (renamed(value, names) as Json | undefined)
}

/** A set of fields: `f:` is a name, `k:` an item by its keys, `v:` an item by its value. */
function renamedFieldSet(fields: JsonObject, names: Renames): JsonObject {
  const inner = renamedFields(fields, (_, value) =>
    isObject(value) ? renamedFieldSet(value, names) : value,
  )
  return withKeys(inner, (key) => {
    if (key.startsWith('f:')) return `f:${names.get(key.slice(2)) ?? key.slice(2)}`
    if (!key.startsWith('k:') && !key.startsWith('v:')) return key
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
  if (Object.keys(map).every((key) => keyOf(key) === key)) return map
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [keyOf(key), value]))
}

/** `/metadata/labels/example.com~1name` with other names. */
function renamedPointer(pointer: Json | undefined, names: Renames): Json | undefined {
  if (typeof pointer !== 'string' || !pointer.includes('/')) return pointer
  const steps = pointer.split('/').map((step) => {
    const other = names.get(step.replaceAll('~1', '/').replaceAll('~0', '~'))
    return other?.replaceAll('~', '~0').replaceAll('/', '~1') ?? step
  })
  return steps.join('/')
}

function renamedItems<T>(items: readonly T[], item: (one: T) => T): readonly T[] {
  const other = items.map(item)
  return other.some((one, at) => one !== items[at]) ? other : items
}

/** Entries are set as own properties: a key may be `__proto__`. */
function renamedFields(
  object: JsonObject,
  field: (name: string, value: Json | undefined) => Json | undefined,
): JsonObject {
  const changed = new Map<string, Json | undefined>()
  for (const name of Object.keys(object)) {
    const is = field(name, object[name])
    if (is !== object[name]) changed.set(name, is)
  }
  if (changed.size === 0) return object
  const entries = Object.entries(object)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, changed.has(name) ? changed.get(name) : value]),
  )
}
