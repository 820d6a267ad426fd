import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Json } from '../../kernel/values/json.ts'

/** What strict reading finds in a body whose keys stand twice, beside the unknown fields that the reader of its kind found. */
export interface StrictProblems {
  /** One text for each, as a warning. */
  warnings(unknownFields: readonly string[]): readonly string[]
  /** All of them in one text, as an error. */
  error(unknownFields: readonly string[]): string
}

/** A decoded body. `duplicates` has a text for each key that its object has twice, as field validation reports it. */
export interface Decoded {
  /** What the text says. */
  readonly value: Json
  readonly duplicates: readonly string[]
  /** Present if a key stands twice. */
  readonly strict?: StrictProblems
  /** Numbers that are not written as they are printed, the first of them: `1.0`, `1e3`. */
  readonly numerals?: readonly Numeral[]
  /** The first problem is that of the first key in alphabetical order, as where YAML is made JSON before it is decoded. */
  readonly sorted?: true
}

/** A number that a text has, at a path of keys and indexes from the root. */
export interface Numeral {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** How many numerals are told. */
export const maxNumerals = 1000

/** How deep objects and lists may nest. */
export const maxDepth = 1000

/** How many duplicate keys are reported; further ones are read but not reported. */
export const maxDuplicates = 100

/** A position in a text. Line and column count from 1; columns are UTF-16 code units. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** BadRequest for a text that cannot be read. */
export class DecodeError extends StatusError {
  readonly format: 'JSON' | 'YAML'
  /** What is wrong, without the position. */
  readonly why: string
  /** Where reading ended; undefined for what is wrong with the text as a whole. */
  readonly at: TextPosition | undefined

  constructor(format: 'JSON' | 'YAML', why: string, at?: TextPosition) {
    const place = at === undefined ? '' : `line ${at.line}, column ${at.column}: `
    super('BadRequest', `error decoding ${format}: ${place}${why}`)
    this.format = format
    this.why = why
    this.at = at
  }
}

/** Where a text ends. */
export function endOf(text: string): TextPosition {
  let [line, start] = [1, 0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    line += 1
    start = at + 1
  }
  return { line, column: text.length - start + 1 }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The bytes as text, without a byte order mark.
 *
 * @throws DecodeError if they are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array | string, format: 'JSON' | 'YAML'): string {
  if (typeof bytes === 'string') return bytes
  try {
    return utf8.decode(bytes)
  } catch {
    throw new DecodeError(format, 'the text is not valid UTF-8', firstInvalid(bytes))
  }
}

/** Where the first bytes stand that are not UTF-8: what is read in their place does not give them back. */
function firstInvalid(bytes: Uint8Array): TextPosition {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const again = Buffer.from(given.toString())
  let [same, different] = [0, given.length]
  while (same < different) {
    const middle = (same + different + 1) >> 1
    const isSame = given.subarray(same, middle).equals(again.subarray(same, middle))
    if (isSame) same = middle
    else different = middle - 1
  }
  const before = given.subarray(0, same).toString()
  return endOf(before.replace(/^\uFEFF/, ''))
}

/** The value of an integer literal (decimal, `0x`, `0o`, `0b`): exact up to 64 bits, the nearest double beyond. */
export function parseInteger(text: string): number | bigint {
  const value = Number(text)
  if (Number.isSafeInteger(value) || text.length > 24) return value
  const exact = BigInt(text)
  return BigInt.asIntN(64, exact) === exact ? exact : value
}
