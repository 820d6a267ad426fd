import type { Json } from '../../kernel/values/json.ts'
import type { TextPosition } from '../format/decoded.ts'

/** A value with the position, in a text or elsewhere, of each of its parts. */
export type LocatedValue<Place = TextPosition> =
  | { readonly is: 'map'; readonly entries: readonly LocatedEntry<Place>[]; readonly at: Place }
  | { readonly is: 'list'; readonly items: readonly LocatedValue<Place>[]; readonly at: Place }
  | { readonly is: 'scalar'; readonly value: Json; readonly at: Place }

/** An entry of a map, with the position of its key. */
export interface LocatedEntry<Place = TextPosition> {
  readonly key: string
  readonly keyAt: Place
  readonly value: LocatedValue<Place>
}

/** The only document of a text. */
export interface LocatedText {
  /** The value of the document; null for an empty text. */
  readonly root: LocatedValue
  /** Keys that their map has twice; the last value counts. */
  readonly duplicates: readonly { readonly key: string; readonly at: TextPosition }[]
  /** What JSON has no form for: keys that are no scalars, which are left out, and infinities, which become null. */
  readonly problems: readonly { readonly why: string; readonly at: TextPosition }[]
}
