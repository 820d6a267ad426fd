/**
 * What was built from one schema file. It follows from that file, the files that it refers to, and the few that every file
 * depends on (markers, gates, `meta/`): while their texts are the same, it is neither built nor checked again.
 */
import type { KindFacts } from '../ir.ts'
import type { NamedType } from '../named-type.ts'
import type { Position } from '../position.ts'

/** What was built from a file, by what the file describes. */
export type BuiltFile = BuiltTypeFile | BuiltFactFile

/** What was built from a file that defines types. */
export interface BuiltTypeFile {
  readonly is: 'types'
  readonly group: string
  readonly version: string
  /** The other files that it refers to, by name and in order, whether they exist or not. */
  readonly refs: readonly string[]
  readonly definitions: readonly BuiltDefinition[]
}

/** What was built from a file that states facts: its rows, as their builder gives them. */
export interface BuiltFactFile {
  readonly is: 'facts'
  readonly refs: readonly string[]
  readonly facts: readonly unknown[]
}

/** What was built from one definition. */
export interface BuiltDefinition {
  readonly name: string
  readonly at: Position
  /** Its own type, and those of structs without a name inside it. */
  readonly types: readonly NamedType[]
  /** The kind that it is the root of. */
  readonly kind?: KindFacts
  /** The kind without a collection that it is the root of: it counts if it is the body of a subresource. */
  readonly body?: KindFacts
}
