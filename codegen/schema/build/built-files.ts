/**
 * What becomes of a file. It follows from that file, those that it refers to, and the few that all lean on: as long as they
 * are the same, it is not made or checked again.
 */

import { resolveRef } from '../files/layout.ts'
import type { KindFacts, NamedType, Position } from '../ir.ts'
import type { Definition } from './definitions.ts'
import { walkSchema } from './json-schema.ts'

/** What became of a file, and the files that it follows from beside its own. */
export type BuiltFile = BuiltTypeFile | BuiltFactFile

/** The parts of a file that defines types. */
export interface BuiltTypeFile {
  readonly is: 'types'
  readonly group: string
  readonly version: string
  readonly refs: readonly string[]
  readonly definitions: readonly BuiltDefinition[]
}

/** The facts of a file that states any: rows, as its builder gives them. */
export interface BuiltFactFile {
  readonly is: 'facts'
  readonly refs: readonly string[]
  readonly facts: readonly unknown[]
}

/** What became of one definition: its types, those of structs inside it included, and the kind that it is the root of. */
export interface BuiltDefinition {
  readonly name: string
  readonly at: Position
  readonly types: readonly NamedType[]
  readonly kind?: KindFacts
  /** The kind without a collection that it is the root of, which counts if it is the body of a subresource. */
  readonly body?: KindFacts
}

/** Facts that were read now or by an earlier run, file by file. */
export class FactsByFile {
  readonly #known: (file: string) => BuiltFile | undefined
  readonly #found = new Map<string, BuiltFactFile>()

  constructor(known: (file: string) => BuiltFile | undefined) {
    this.#known = known
  }

  /** The facts of a file, which `read` is asked for unless they are known; `refs` are the files that they follow from. */
  of<T>(file: string, read: () => readonly T[], refs: readonly string[] = []): readonly T[] {
    const known = this.#known(file)
    const found = known?.is === 'facts' ? known : { is: 'facts' as const, refs, facts: read() }
    this.#found.set(file, found)
    return found.facts as readonly T[]
  }

  all(): ReadonlyMap<string, BuiltFactFile> {
    return this.#found
  }
}

/** The parts by file, of definitions and what became of each. */
export function typesByFile(
  made: ReadonlyMap<Definition, BuiltDefinition>,
  known: (file: string) => BuiltFile | undefined,
): ReadonlyMap<string, BuiltFile> {
  const files = new Map<string, Definition[]>()
  for (const each of made.keys()) {
    const others = files.get(each.file)
    if (others === undefined) files.set(each.file, [each])
    else others.push(each)
  }
  const partsOf = (definitions: readonly Definition[]): BuiltTypeFile => {
    const { group, version } = definitions[0]!
    const parts = definitions.map((each) => made.get(each)!)
    return { is: 'types', group, version, refs: filesReferredTo(definitions), definitions: parts }
  }
  return new Map(
    [...files].map(([file, definitions]) => [file, known(file) ?? partsOf(definitions)]),
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
