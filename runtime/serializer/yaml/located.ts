import type { Json } from '../../kernel/values/json.ts'
import { decodeUtf8 } from '../decoded.ts'

/** A place in a text, from 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** A value that knows where each of its parts stands. */
export type LocatedValue<Place = TextPosition> =
  | { readonly is: 'map'; readonly entries: readonly LocatedEntry<Place>[]; readonly at: Place }
  | { readonly is: 'list'; readonly items: readonly LocatedValue<Place>[]; readonly at: Place }
  | { readonly is: 'scalar'; readonly value: Json; readonly at: Place }

export interface LocatedEntry<Place = TextPosition> {
  readonly key: string
  readonly keyAt: Place
  readonly value: LocatedValue<Place>
}

/** What a text says, and the keys that stand twice in their map: the last one counts. */
export interface LocatedText {
  readonly root: LocatedValue
  readonly duplicates: readonly { readonly key: string; readonly at: TextPosition }[]
  /** What stands for no value: keys that are no text, which are left out, and numbers without end, which count as null. */
  readonly problems: readonly { readonly why: string; readonly at: TextPosition }[]
}

/**
 * Reads a YAML or JSON text of one document with the place of every key and value. The parser is loaded on first use.
 * Fails with a DecodeError, also for a text of several documents.
 */
export async function decodeLocated(bytes: Uint8Array | string): Promise<LocatedText> {
  const text = decodeUtf8(bytes, 'YAML')
  const { readLocated } = await import('./located-reader.ts')
  return readLocated(text)
}
