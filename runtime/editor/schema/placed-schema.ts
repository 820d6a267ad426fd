/** JSON Schemas as they were read, with the place of each part. */
import type { Json } from '../../kernel/values/json.ts'
import type { LocatedEntry, LocatedValue } from '../../serializer/serializer.ts'
import { plainValue } from '../../validate/validate.ts'
import type { SchemaPlace } from './value-schema.ts'

/** A JSON Schema as it was read, with the place of each part. */
export type PlacedSchema<At> = LocatedValue<At>

/** A schema that a reference leads to, and the schemas that its own references are read by. */
export interface NamedSchema<At> {
  readonly name: string
  readonly node: PlacedSchema<At>
  readonly at: At
  readonly dialect: SchemaDialect<At>
}

/** How the schemas of a file are read. */
export interface SchemaDialect<At> {
  /** What keywords that JSON Schema does not have begin with: `x-orch-`. */
  readonly prefix: string
  /** True where required fields that are absent are judged as their zero value; absent for the schemas of definitions. */
  readonly absentIsZero?: boolean
  place(at: At): SchemaPlace | undefined
  /** The schema that `$ref` names. */
  resolve(ref: string): NamedSchema<At> | undefined
}

/** The entries of a mapping; none of anything else. */
export function entriesOf<At>(node: PlacedSchema<At> | undefined): readonly LocatedEntry<At>[] {
  return node?.is === 'map' ? node.entries : []
}
/** The entry under a key. */
export function entryOf<At>(node: PlacedSchema<At>, key: string): LocatedEntry<At> | undefined {
  return entriesOf(node).find((one) => one.key === key)
}
/** The value under a key. */
export function nodeOf<At>(node: PlacedSchema<At>, key: string): PlacedSchema<At> | undefined {
  return entryOf(node, key)?.value
}
/** The text under a key. */
export function textOf<At>(node: PlacedSchema<At>, key: string): string | undefined {
  const value = keywordOf(node, key)
  return typeof value === 'string' ? value : undefined
}
/** The value under a key, without places. */
export function keywordOf<At>(node: PlacedSchema<At>, key: string): Json | undefined {
  const found = nodeOf(node, key)
  return found && plainValue(found)
}
