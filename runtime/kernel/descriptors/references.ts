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
  const holders = holdersOf(types)
  const holder = type === undefined ? undefined : holders.get(type)
  const walk: Walk = { holders, steps: [], found: [] }
  if (holder !== undefined) visitStruct(object, holder, walk)
  return walk.found
}

interface Walk {
  readonly holders: Holders
  /** Where the walk is: one list for all of it, since few of the values that it visits are names. */
  readonly steps: (string | number)[]
  readonly found: FoundReference[]
}

function visit(value: Json, { within, struct }: HolderField, level: number, walk: Walk): void {
  const container = within[level]
  if (container === undefined) {
    const holder = walk.holders.get(struct)
    if (holder !== undefined && isObject(value)) visitStruct(value, holder, walk)
    return
  }
  const parts = container === 'list' ? Array.isArray(value) : isObject(value)
  if (!parts) return
  const { steps } = walk
  for (const [key, part] of Object.entries(value as JsonObject)) {
    if (part === undefined) continue
    steps.push(container === 'list' ? Number(key) : key)
    visit(part, { within, struct }, level + 1, walk)
    steps.pop()
  }
}

function visitStruct(value: JsonObject, { rows, fields }: Holder, walk: Walk): void {
  const { steps, found } = walk
  for (const row of rows) addNamed(value, row, steps, found)
  if (fields.size === 0) return
  for (const key of Object.keys(value)) {
    const field = fields.get(key)
    const part = value[key]
    if (field === undefined || part === undefined) continue
    if (key === 'status' && steps.length === 0) continue
    steps.push(key)
    visit(part, field, 0, walk)
    steps.pop()
  }
}

/** Adds the names of a row. */
function addNamed(value: JsonObject, row: Row, steps: Steps, found: FoundReference[]): void {
  const { field } = row
  for (const [holder, at] of partsAt(value, row.holder, steps)) {
    if (!isObject(holder)) continue
    const name = textIn(holder, field)
    const kind = row.kind ?? textIn(holder, row.kindField)
    if (!name || !kind || (row.only ?? kind) !== kind) continue
    const keys = row.keysPath === undefined ? [] : partsAt(holder, row.keysPath, at)
    found.push({
      steps: [...at, field],
      name,
      kind,
      group: groupIn(holder, row),
      namespace: namespaceIn(holder, row, at),
      expected: holder.optional !== true && !isAlways(name, row),
      keys: keys.flatMap(([key, place]) =>
        typeof key === 'string' && key !== '' ? [{ steps: place, text: key }] : [],
      ),
    })
  }
}

type Part = readonly [value: Json, steps: Steps]

/** The parts of a value at a path. */
function partsAt(value: Json, path: Path, steps: Steps, from = 0): readonly Part[] {
  const step = path[from]
  if (step === undefined) return [[value, steps]]
  if (step === everyItem) {
    if (!Array.isArray(value)) return []
    return value.flatMap((item, index) => partsAt(item, path, [...steps, index], from + 1))
  }
  const part = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  return part === undefined ? [] : partsAt(part, path, [...steps, step], from + 1)
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

/** A step into every item of a list; no field has such a name. */
const everyItem = '[]'

/** The steps of a path such as `tls[].secretName`. */
type Path = readonly string[]

function pathOf(text: string): Path {
  return text.match(/\[\]|[^.[]+/g) ?? []
}

/** A row whose paths are taken apart. */
interface Row extends ReferenceRow {
  /** The path of what has the field. */
  readonly holder: Path
  readonly keysPath: Path | undefined
}

function rowOf(row: ReferenceRow): Row {
  const dot = row.field.lastIndexOf('.')
  const keysPath = row.keys === undefined ? undefined : pathOf(row.keys)
  const holder = pathOf(row.field.slice(0, Math.max(dot, 0)))
  return { ...row, field: row.field.slice(dot + 1), holder, keysPath }
}

/** A struct in which, or below which, names stand. */
interface Holder {
  readonly rows: readonly Row[]
  /** The fields that lead to names. */
  readonly fields: ReadonlyMap<string, HolderField>
}

/** A field with a struct, or with lists or maps of it. */
interface HolderField {
  readonly within: readonly ('list' | 'map')[]
  readonly struct: string
}

type Holders = ReadonlyMap<string, Holder>

function fieldOf(type: FieldType): HolderField {
  const struct = type.replace(/^(?:\[\]|map\[string\])+/, '')
  const around = type.slice(0, type.length - struct.length).match(/\[\]|map\[string\]/g) ?? []
  return { within: around.map((one) => (one === '[]' ? 'list' : 'map')), struct }
}

const knownHolders = new WeakMap<FieldTypes, Holders>()

/** Structs with rows, and those that lead to one. */
function holdersOf(types: FieldTypes): Holders {
  const known = knownHolders.get(types)
  if (known !== undefined) return known
  const users = new Map<string, [struct: string, key: string, field: HolderField][]>()
  for (const [struct, fields] of Object.entries(types.structs)) {
    for (const [key, row] of Object.entries(fields)) {
      const field = fieldOf(typeof row === 'string' ? row : row[0])
      const found = users.get(field.struct)
      if (found === undefined) users.set(field.struct, [[struct, key, field]])
      else found.push([struct, key, field])
    }
  }
  const names = new Set(Object.keys(types.references ?? {}))
  const fields = new Map<string, Map<string, HolderField>>()
  for (const name of names) {
    for (const [user, key, field] of users.get(name) ?? []) {
      names.add(user)
      fields.set(user, (fields.get(user) ?? new Map()).set(key, field))
    }
  }
  const holders = [...names].map((name): [string, Holder] => {
    const rows = (types.references?.[name] ?? []).map(rowOf)
    return [name, { rows, fields: fields.get(name) ?? new Map() }]
  })
  const made = new Map(holders)
  knownHolders.set(types, made)
  return made
}
