import type { FieldType, FieldTypes } from '../../kernel/descriptors/field-types.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { fieldType, itemType } from './field-names.ts'
import { isNewer } from './versions.ts'

/** A field that a release does not have yet. */
export interface NewerField {
  readonly path: string
  /** The release that brought it. */
  readonly since: string
}

/** The fields of objects that a release does not have yet. */
export class NewerFields {
  readonly #types: FieldTypes
  /** The fields of each struct that are newer, those alone. */
  readonly #newer: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** The structs and unions that have such a field, their own or further down: others are not looked through. */
  readonly #leading: ReadonlySet<string>

  constructor(types: FieldTypes, release: string) {
    this.#types = types
    this.#newer = newerIn(types, release)
    this.#leading = leadingTo(types, [...this.#newer.keys()])
  }

  /** Those of an object. */
  *of(apiVersion: string, kind: string, value: Json): Generator<NewerField> {
    const root = this.#types.kinds[`${apiVersion}/${kind}`]
    if (root !== undefined) yield* this.#below(root, value, '')
  }

  *#below(type: FieldType, value: Json, path: string): Generator<NewerField> {
    if (typeof value !== 'object' || value === null || !this.#leading.has(namedIn(type))) return
    const item = itemType(type)
    if (Array.isArray(value)) {
      if (item === undefined) return
      for (const [at, each] of value.entries()) yield* this.#below(item, each, `${path}[${at}]`)
      return
    }
    if (!isObject(value)) return
    for (const member of this.#types.unions[type] ?? []) yield* this.#below(member, value, path)
    const newer = this.#newer.get(type)
    for (const [key, each = null] of Object.entries(value)) {
      if (each === null) continue
      const below = item === undefined ? `${path && `${path}.`}${key}` : `${path}[${key}]`
      const since = newer?.get(key)
      if (since !== undefined) yield { path: below, since }
      const next = since === undefined ? fieldType(this.#types.structs, type, key) : undefined
      if (next !== undefined) yield* this.#below(next, each, below)
    }
  }
}

function newerIn({ since = {} }: FieldTypes, release: string) {
  const rows = Object.entries(since).map(([struct, fields]) => {
    const newer = Object.entries(fields).filter(([, one]) => isNewer(one, release))
    return [struct, new Map(newer)] as const
  })
  return new Map(rows.filter(([, fields]) => fields.size > 0))
}

/** The structs and unions from which fields lead to some of the named ones, and these. */
function leadingTo({ structs, unions }: FieldTypes, to: readonly string[]): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  const use = (type: FieldType, by: string) => {
    const name = namedIn(type)
    users.set(name, [...(users.get(name) ?? []), by])
  }
  for (const [id, fields] of Object.entries(structs)) {
    for (const row of Object.values(fields)) use(typeof row === 'string' ? row : row[0], id)
  }
  for (const [id, members] of Object.entries(unions)) for (const one of members) use(one, id)
  const found = new Set(to)
  for (const one of found) for (const user of users.get(one) ?? []) found.add(user)
  return found
}

/** The type of items, or of values, however deep: `core/v1.Container` of `[]core/v1.Container`. */
function namedIn(type: FieldType): string {
  const item = itemType(type)
  return item === undefined ? type : namedIn(item)
}
