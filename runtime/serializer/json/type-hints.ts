import type { Numeral } from '../format/decoded.ts'

/** What a value does not say itself. */
export interface TypeHints {
  /** Numbers that are not written as they are printed. */
  readonly numerals?: readonly Numeral[]
  /** Keys are looked at in alphabetical order. */
  readonly sorted?: boolean
}
