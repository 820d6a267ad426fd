import type { Json } from '../../kernel/values/json.ts'
import type { DecodeError, TextPosition } from '../format/decoded.ts'

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

/** A part of a text: where it begins, and the offsets (UTF-16 code units) of its beginning and behind its end. */
export interface TextRange extends TextPosition {
  readonly offset: number
  readonly end: number
}

/** One document of a text that may have several. */
export interface LocatedDocument {
  /** Absent for a document that cannot be read. */
  readonly root?: LocatedValue<TextRange>
  /** Why it cannot be read. */
  readonly error?: DecodeError
  /** Keys that their map has twice, with the place of the first; the last value counts. */
  readonly duplicates: readonly {
    readonly key: string
    readonly at: TextRange
    readonly first: TextRange
  }[]
  /** What JSON has no form for. */
  readonly problems: readonly { readonly why: string; readonly at: TextRange }[]
  /** What is YAML, and is refused by readers of the platform's command-line clients. */
  readonly unportable: readonly { readonly why: string; readonly at: TextRange }[]
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
