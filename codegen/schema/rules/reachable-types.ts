/** Which types rules have to do with: those that lead to one, and those that one looks at. */
import type { Expression, NamedType, Type } from '../ir.ts'

/** Types by their ids. */
export type Types = ReadonlyMap<string, NamedType>

/** The fields that a rule looks at of the struct beside which it stands; undefined if it may look at any. */
export type FieldsRead = (rule: Expression) => readonly string[] | undefined

const leadingOf = new WeakMap<readonly NamedType[], ReadonlySet<string>>()

/** The types in which a rule stands, or from which one can be reached; found once for the types of a tree. */
export function typesLeadingToRules(all: readonly NamedType[]): ReadonlySet<string> {
  const found = leadingOf.get(all) ?? findLeading(all)
  leadingOf.set(all, found)
  return found
}

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

/** The fields of structs that rules may look at. */
export type FieldsReadByRules = ReadonlyMap<string, ReadonlySet<string> | 'all'>

/** What rules may look at: of the structs beside which they stand, and of all below. */
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

/** The types on the way from a root to rules, the root among them. */
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

function partsOf(type: NamedType): readonly Type[] {
  return type.is === 'struct' ? type.fields.map((field) => field.type) : []
}

/** The ids of the types that a type refers to. */
export function refsIn(type: Type): readonly string[] {
  if (type.is === 'list') return refsIn(type.items)
  if (type.is === 'map') return refsIn(type.values)
  return type.is === 'ref' ? [type.to] : []
}

/** True if a rule stands at a type or inside it, short of what it refers to. */
export function hasRules(type: Type): boolean {
  return type.rules !== undefined || innerOf(type).some(hasRules)
}

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
