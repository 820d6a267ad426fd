/** Which fields name other objects, as schemas declare it (`x-orch-references`), and where a value has such names. */
import { isObject, type Json, type JsonObject } from '../values/json.ts'
import type { FieldType, FieldTypes } from './field-types.ts'
import type { ReferenceRow } from './reference-row.ts'

/** The annotation by which a definition declares the references of its kind: rows as JSON. It is the same on every platform. */
export const referencesAnnotation = 'orch.io/references'

/** Steps from a value to a part of it: keys and indexes. */
export type Steps = readonly (string | number)[]

/** A part of a value, and where it stands. */
export interface FoundText {
  readonly steps: Steps
  readonly text: string
}

/** A name in a value. */
export interface FoundReference {
  readonly steps: Steps
  readonly name: string
  readonly kind: string
  /** Undefined: whichever group has such a kind. */
  readonly group: string | undefined
  /** As it is stated; undefined: that of the object. */
  readonly namespace: FoundText | undefined
  readonly keys: readonly FoundText[]
  /** False where what is named may be missing (`optional: true` beside the name), or is always there. */
  readonly expected: boolean
}

/** Every name in an object, but for those of its status. */
export function referencesIn(object: JsonObject, types: FieldTypes): readonly FoundReference[] {
  const key = `${String(object.apiVersion)}/${String(object.kind)}`
  const type = Object.hasOwn(types.kinds, key) ? types.kinds[key] : undefined
  const found: FoundReference[] = []
  if (type !== undefined) visit(object, type, [], { types, holders: holdersOf(types), found })
  return found
}

interface Walk {
  readonly types: FieldTypes
  /** Structs in which, or below which, names stand. */
  readonly holders: ReadonlySet<string>
  readonly found: FoundReference[]
}

function visit(value: Json, type: FieldType, steps: Steps, walk: Walk): void {
  const { types, holders, found } = walk
  if (!holders.has(structOf(type))) return
  if (Array.isArray(value)) {
    if (!type.startsWith('[]')) return
    for (const [index, item] of value.entries()) visit(item, type.slice(2), [...steps, index], walk)
    return
  }
  if (!isObject(value)) return
  const below = type.startsWith('map[string]') ? type.slice('map[string]'.length) : undefined
  const fields = below === undefined ? types.structs[type] : undefined
  for (const row of (below === undefined ? types.references?.[type] : undefined) ?? []) {
    found.push(...named(value, row, steps))
  }
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined || (key === 'status' && steps.length === 0)) continue
    const field = fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined
    const inner = below ?? (typeof field === 'string' ? field : field?.[0])
    if (inner !== undefined) visit(part, inner, [...steps, key], walk)
  }
}

/** The names of a row. */
function named(value: JsonObject, row: ReferenceRow, steps: Steps): readonly FoundReference[] {
  const dot = row.field.lastIndexOf('.')
  const holders = row.field.slice(0, Math.max(dot, 0))
  const field = row.field.slice(dot + 1)
  return partsAt(value, holders, steps).flatMap(([holder, at]) => {
    if (!isObject(holder)) return []
    const name = textIn(holder, field)
    const kind = row.kind ?? textIn(holder, row.kindField)
    if (!name || !kind || (row.only ?? kind) !== kind) return []
    const keys = row.keys === undefined ? [] : partsAt(holder, row.keys, at)
    return {
      steps: [...at, field],
      name,
      kind,
      group: groupIn(holder, row),
      namespace: namespaceIn(holder, row, at),
      expected: holder.optional !== true && !isAlways(name, row),
      keys: keys.flatMap(([key, place]) =>
        typeof key === 'string' && key !== '' ? [{ steps: place, text: key }] : [],
      ),
    }
  })
}

/** The parts of a value at a path such as `tls[].secretName`. */
function partsAt(value: Json, path: string, steps: Steps): readonly (readonly [Json, Steps])[] {
  if (path === '') return [[value, steps]]
  const [, list, key = '', rest = ''] = /^(?:(\[\])|([^.[]+))\.?(.*)$/s.exec(path) ?? []
  if (list !== undefined) {
    if (!Array.isArray(value)) return []
    return value.flatMap((item, index) => partsAt(item, rest, [...steps, index]))
  }
  const part = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return part === undefined ? [] : partsAt(part, rest, [...steps, key])
}

function namespaceIn(
  holder: JsonObject,
  { namespaceField }: ReferenceRow,
  steps: Steps,
): FoundText | undefined {
  const text = textIn(holder, namespaceField)
  return text && namespaceField ? { steps: [...steps, namespaceField], text } : undefined
}

function groupIn(holder: JsonObject, { group, groupField }: ReferenceRow): string | undefined {
  if (groupField === undefined) return group ?? ''
  const stated = textIn(holder, groupField)
  if (!stated) return undefined
  const slash = stated.indexOf('/')
  if (slash >= 0) return stated.slice(0, slash)
  return groupField === 'apiVersion' ? '' : stated
}

function isAlways(name: string, { always = [] }: ReferenceRow): boolean {
  return always.some((one) =>
    one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one,
  )
}

function textIn(holder: JsonObject, field: string | undefined): string | undefined {
  const text = field !== undefined && Object.hasOwn(holder, field) ? holder[field] : undefined
  return typeof text === 'string' ? text : undefined
}

/** The struct that a list or map is of. */
function structOf(type: FieldType): string {
  return type.replace(/^(?:\[\]|map\[string\])+/, '')
}

const knownHolders = new WeakMap<FieldTypes, ReadonlySet<string>>()

/** Structs with rows, and those that lead to one. */
function holdersOf(types: FieldTypes): ReadonlySet<string> {
  const known = knownHolders.get(types)
  if (known !== undefined) return known
  const users = new Map<string, string[]>()
  for (const [struct, fields] of Object.entries(types.structs)) {
    for (const field of Object.values(fields)) {
      const of = structOf(typeof field === 'string' ? field : field[0])
      const found = users.get(of)
      if (found === undefined) users.set(of, [struct])
      else found.push(struct)
    }
  }
  const holders = new Set(Object.keys(types.references ?? {}))
  for (const one of holders) for (const user of users.get(one) ?? []) holders.add(user)
  knownHolders.set(types, holders)
  return holders
}
