/**
 * What becomes of the definitions of a file. It follows from that file, those that it refers to, and the few that all lean
 * on: as long as they are the same, it is not made or checked again.
 */
import type { Definition } from './definitions.ts'
import type { KindFacts, NamedType, Position } from './ir.ts'
import { resolveRef } from './layout.ts'
import { walkSchema } from './schema.ts'

/** What became of one definition: its types, those of structs inside it included, and the kind that it is the root of. */
export interface Part {
  readonly name: string
  readonly at: Position
  readonly types: readonly NamedType[]
  readonly kind?: KindFacts
}

/** The parts of a file, and the files whose text they follow from beside its own. */
export interface FileParts {
  readonly group: string
  readonly version: string
  readonly refs: readonly string[]
  readonly parts: readonly Part[]
}

/** The parts by file, of definitions and what became of each. */
export function partsByFile(
  made: ReadonlyMap<Definition, Part>,
  known: (file: string) => FileParts | undefined,
): ReadonlyMap<string, FileParts> {
  const files = new Map<string, Definition[]>()
  for (const each of made.keys()) {
    const others = files.get(each.file)
    if (others === undefined) files.set(each.file, [each])
    else others.push(each)
  }
  return new Map(
    [...files].map(([file, definitions]) => {
      const { group, version } = definitions[0]!
      const parts = () => definitions.map((each) => made.get(each)!)
      return [
        file,
        known(file) ?? { group, version, refs: filesReferredTo(definitions), parts: parts() },
      ]
    }),
  )
}

/** The names of files that references lead to, whether there is such a file or not. */
function filesReferredTo(definitions: readonly Definition[]): readonly string[] {
  const found = new Set<string>()
  for (const { schema, file } of definitions) {
    walkSchema(schema, ({ ref }) => {
      const place = ref && resolveRef(ref.value, file)
      if (place !== undefined && place.file !== file) found.add(place.file)
    })
  }
  return [...found].sort()
}
