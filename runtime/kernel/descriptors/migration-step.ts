/** What changed between two versions of a kind of which the older is gone, so that files of it can be rewritten. */
import type { Json } from '../values/json.ts'

/**
 * One change. Paths are those of the older version, with `[*]` where they go through a list. Without a `kind` it is one of every kind of
 * its row.
 */
export type MigrationStep = {
  readonly kind?: string
} & (
  | /** A field has another name. */ { readonly rename: string; readonly to: string }
  | /** A field stands deeper, below the struct that it stood in. */ {
      readonly move: string
      readonly to: string
    }
  | /** The same, to one of two places by its JSON type. */ {
      readonly split: string
      readonly to: { readonly integer: string; readonly string: string }
    }
  | /** What an absent field meant, where the newer version has another default or none. */ {
      readonly default: string
      readonly value: Json
    }
  | /** What the newer version has no way to say. */ {
      readonly refuse: string
      readonly when: 'absent' | 'empty' | 'present'
      readonly why: string
    }
)
