/** References between types. */
import type { Field, NamedType, StructType, Type } from '../../schema/named-type.ts'
import { refsIn } from '../../schema/rules/reachable-types.ts'
import type { Model } from './model.ts'

/**
 * The ids of the types that another one's fields refer to, in order and without repetition.
 * Only structs refer: the members of a union are not followed.
 */
export function referencesOf(type: NamedType): readonly string[] {
  if (type.is !== 'struct') return []
  return [...new Set(type.fields.flatMap((field: Field) => refsIn(field.type)))]
}

/**
 * The structs among `seeds`, and all that lead to one of them; `down` gives the ids that a struct
 * leads to.
 * A walk up from the seeds, which visits each struct once, however the structs refer to each other.
 */
export function leadingTo(
  seeds: Iterable<string>,
  structs: readonly StructType[],
  down: (struct: StructType) => readonly string[],
): ReadonlySet<string> {
  const above = new Map<string, string[]>()
  for (const struct of structs) {
    for (const id of down(struct)) {
      const known = above.get(id)
      if (known === undefined) above.set(id, [struct.id])
      else known.push(struct.id)
    }
  }
  const found = new Set(seeds)
  for (const id of found) for (const upper of above.get(id) ?? []) found.add(upper)
  return found
}

/** The struct that a type is or refers to; undefined if it is something else. */
export function structOf(type: Type, typeOf: Model['type']): StructType | undefined {
  const named = type.is === 'ref' ? typeOf(type.to) : undefined
  return named?.is === 'struct' ? named : undefined
}

/**
 * Every type reachable from `roots`, the roots included, sorted by id.
 * Sorted, so that the order of the roots does not show.
 */
export function closureOf(model: Model, roots: readonly string[]): readonly NamedType[] {
  const seen = new Set<string>()
  const visit = (id: string): void => {
    if (seen.has(id)) return
    seen.add(id)
    referencesOf(model.type(id)).forEach(visit)
  }
  roots.forEach(visit)
  return [...seen].sort().map((id) => model.type(id))
}
