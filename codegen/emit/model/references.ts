/** What types refer to. */
import type { Field, NamedType, StructType } from '../../schema/ir.ts'
import { refsIn } from '../../schema/rules/reachable-types.ts'

/** The types that another one refers to by its fields, in order and without repetition. */
export function referencesOf(type: NamedType): readonly string[] {
  if (type.is !== 'struct') return []
  return [...new Set(type.fields.flatMap((field: Field) => refsIn(field.type)))]
}

/** The structs among `seeds`, and all that lead to one of them by what `down` says of a struct. */
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
