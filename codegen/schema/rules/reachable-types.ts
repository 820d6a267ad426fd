/** Which types validation rules concern: those that lead to a rule, and those that a rule may read. */
import type { Expression, NamedType, Type } from '../named-type.ts'

/** Named types by id. */
export type Types = ReadonlyMap<string, NamedType>

/** The fields that a rule reads of the struct that it is declared at; undefined if it may read any. */
export type FieldsRead = (rule: Expression) => readonly string[] | undefined

/** The result of `typesLeadingToRules` for each list of types. */
const leadingOf = new WeakMap<readonly NamedType[], ReadonlySet<string>>()

/** The types that declare a rule, or from which one can be reached; computed once for a list of types. */
export function typesLeadingToRules(all: readonly NamedType[]): ReadonlySet<string> {
  const found = leadingOf.get(all) ?? findLeading(all)
  leadingOf.set(all, found)
  return found
}

/** Walks backwards from the types with rules to those that refer to them. */
function findLeading(all: readonly NamedType[]): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  const found = new Set<string>()
  const add = (id: string): void => {
    if (found.has(id)) return
    found.add(id)
    users.get(id)?.forEach(add)
  }
  for (const type of all) {
    for (const to of partsOf(type).flatMap(refsIn)) {
      const known = users.get(to)
      if (known === undefined) users.set(to, [type.id])
      else known.push(type.id)
    }
  }
  for (const type of all) if (type.rules || partsOf(type).some(hasRules)) add(type.id)
  return found
}

/** By the id of a struct: the names of fields that rules may read, or all of them. */
export type FieldsReadByRules = ReadonlyMap<string, ReadonlySet<string> | 'all'>

/** What rules may read: of the struct that they are declared at the fields that they name, and everything below those. */
export function fieldsReadByRules(types: Types, looksAt: FieldsRead): FieldsReadByRules {
  const found = new Map<string, ReadonlySet<string> | 'all'>()
  const addAll = (id: string): void => {
    const type = types.get(id)
    if (type === undefined || found.get(id) === 'all') return
    found.set(id, 'all')
    partsOf(type).flatMap(refsIn).forEach(addAll)
  }
  for (const type of types.values()) {
    partsOf(type).flatMap(ruledParts).flatMap(refsIn).forEach(addAll)
    if (type.is !== 'struct' || type.rules === undefined) continue
    const fields = type.rules.map(looksAt)
    if (fields.some((each) => each === undefined)) addAll(type.id)
    if (found.get(type.id) === 'all') continue
    const names = new Set(fields.flatMap((each) => each ?? []))
    found.set(type.id, names)
    const parts = type.fields.filter(({ name }) => names.has(name)).map((field) => field.type)
    parts.flatMap(refsIn).forEach(addAll)
  }
  return found
}

/** The types on the way from a root to rules, the root included. */
export function reachableFrom(
  root: string,
  types: Types,
  leading: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (id: string): void => {
    const type = types.get(id)
    if (type === undefined || found.has(id) || !leading.has(id)) return
    found.add(id)
    partsOf(type).flatMap(refsIn).forEach(add)
  }
  add(root)
  return found
}

/** The types of a struct's fields; other types have no parts. */
function partsOf(type: NamedType): readonly Type[] {
  return type.is === 'struct' ? type.fields.map((field) => field.type) : []
}

/** The ids of the types that a type refers to, by its items and values too. */
export function refsIn(type: Type): readonly string[] {
  if (type.is === 'list') return refsIn(type.items)
  if (type.is === 'map') return refsIn(type.values)
  return type.is === 'ref' ? [type.to] : []
}

/** True if a rule is declared at a type or inside it, without following references. */
export function hasRules(type: Type): boolean {
  return type.rules !== undefined || innerOf(type).some(hasRules)
}

/** The types with rules in a type, without following references. */
function ruledParts(type: Type): readonly Type[] {
  const inner = innerOf(type).flatMap(ruledParts)
  return type.rules === undefined ? inner : [type, ...inner]
}

const none: readonly Type[] = []

/** What a list or a map holds. */
function innerOf(type: Type): readonly Type[] {
  if (type.is === 'list') return [type.items]
  return type.is === 'map' ? [type.values] : none
}
