/** The type of a value in a schema file; `strings` is a list of texts, `mapping` and `list` are not looked into. */
export type ValueType =
  | 'string'
  | 'strings'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'mapping'
  | 'list'
  | 'any'

/** A type of values; a `!` after it marks a required key. */
export type KeyType = ValueType | `${ValueType}!`

/** A key that authors of schema files write, with what its reference says of it. */
export interface DescribedKey {
  readonly type: KeyType
  /** One or two sentences. */
  readonly about: string
  /** The only values that it may have. */
  readonly values?: readonly string[]
  /** What counts where the key is left out. */
  readonly otherwise?: string
  /** A value as a schema file writes it, in YAML on one line. */
  readonly example?: string
  /** The title of the table of what is in it: of the mapping itself, of each of its values, or of each item. */
  readonly parts?: { readonly of: 'itself' | 'values' | 'items'; readonly table: string }
}

/** The keys of a mapping with their types. */
export type Shape = Readonly<Record<string, KeyType | DescribedKey>>

/** The keys of a mapping that has a reference. */
export type DescribedShape = Readonly<Record<string, DescribedKey>>
