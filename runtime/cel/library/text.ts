/**
 * Operations on text in characters (code points), as the language counts; JavaScript counts UTF-16 units. Text without
 * surrogates, nearly all there is, takes the path on which both counts agree. An index out of range is returned as `{
 * error }`.
 */

import { spendSteps } from '../limits/step-limit.ts'
import { codePoints } from '../syntax/source.ts'
import { firstIndex, lastIndex } from './search.ts'

/** The error of an operation on text. */
export interface TextError {
  readonly error: string
}

const surrogate = /[\ud800-\udfff]/

/** Whether the text has characters beyond 16 bits. */
function wide(text: string): boolean {
  return surrogate.test(text)
}

/** Negative indexes are out of range too: none counts from the end. */
function outOfRange(index: bigint): TextError {
  return { error: `index out of range: ${index}` }
}

/** The number of characters. */
export const lengthOf = codePoints

/** The character at an index; empty at the index directly behind the last character. */
export function charAt(text: string, index: bigint): string | TextError {
  if (index < 0n || index > BigInt(text.length)) return outOfRange(index)
  if (!wide(text)) return text[Number(index)] ?? ''
  let left = Number(index)
  for (const rune of text) if (left-- === 0) return rune
  return left === 0 ? '' : outOfRange(index)
}

/** The index at which `part` first begins at or after `from`, or -1. An empty text has no index to begin at. */
export function indexOf(text: string, part: string, from = 0n): bigint | TextError {
  if (part === '') return from
  const length = lengthOf(text)
  if (from < 0n || from >= BigInt(length)) return outOfRange(from)
  if (length === text.length) return BigInt(firstIndex(text, part, Number(from)))
  const head = unitsOf(text, Number(from))
  const at = firstIndex(text, part, head)
  return at < 0 ? -1n : BigInt(lengthOf(text.slice(0, at)))
}

/** The index at which `part` last begins at or before `from`, or -1. */
export function lastIndexOf(text: string, part: string, from?: bigint): bigint | TextError {
  const length = lengthOf(text)
  if (part === '') return from ?? BigInt(length)
  if (from === undefined) return countOf(text, lastIndex(text, part))
  if (from < 0n || from >= BigInt(length)) return outOfRange(from)
  return countOf(text, lastIndex(text, part, unitsOf(text, Number(from))))
}

/** The UTF-16 offset of the character at an index. */
function unitsOf(text: string, index: number): number {
  if (!wide(text)) return index
  spendSteps(index >> 2)
  let units = 0
  for (let left = index; left > 0 && units < text.length; left--) {
    units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1
  }
  return units
}

/** The number of characters before a UTF-16 offset; -1 for a negative one. */
function countOf(text: string, units: number): bigint {
  return units < 0 ? -1n : BigInt(lengthOf(text.slice(0, units)))
}

/** The characters from `start` up to, not including, `end`. */
export function substring(text: string, start: bigint, end?: bigint): string | TextError {
  if (end !== undefined && start > end) {
    return { error: `invalid substring range. start: ${start}, end: ${end}` }
  }
  const length = BigInt(lengthOf(text))
  if (start < 0n || start > length) return outOfRange(start)
  if (end !== undefined && (end < 0n || end > length)) return outOfRange(end)
  const from = unitsOf(text, Number(start))
  return end === undefined ? text.slice(from) : text.slice(from, unitsOf(text, Number(end)))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the first character of ASCII is one
const beyondAscii = /[^\x00-\x7f]/

/** The text with ASCII letters in lower case; other characters are not changed. */
export function lowerAscii(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase()
  spendSteps(text.length)
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** The text with ASCII letters in upper case; other characters are not changed. */
export function upperAscii(text: string): string {
  if (!beyondAscii.test(text)) return text.toUpperCase()
  spendSteps(text.length)
  return text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/** White space of Unicode beyond ASCII, without the range U+2000 to U+200A. */
const wideSpaces: ReadonlySet<number> = new Set([
  0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
])

/** Takes a UTF-16 unit: no white space lies beyond 16 bits. */
function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  return (unit >= 0x2000 && unit <= 0x200a) || wideSpaces.has(unit)
}

/** The text without white space (as Unicode defines it; zero-width characters are none) at its ends. */
export function trim(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  spendSteps((text.length - (end - start)) >> 1)
  return text.slice(start, end)
}

/** Longer parts are searched for with `firstIndex`, which is linear. */
const longPart = 200

/**
 * The text with the first `limit` occurrences of `part` replaced, all if `limit` is negative. An empty part occurs
 * before every character and at the end.
 */
export function replace(text: string, part: string, by: string, limit = -1n): string {
  if (limit === 0n) return text
  const all = limit < 0n || limit > BigInt(text.length)
  const searched = part.length > longPart
  if (all && !searched && (part !== '' || !wide(text)))
    return text.replaceAll(part, by.replaceAll('$', '$$$$'))
  if (part === '') return between(text, by, all ? BigInt(text.length + 1) : limit)
  return splitUpTo(text, part, all ? BigInt(text.length + 2) : limit + 1n).join(by)
}

/** The replacement of an empty part. */
function between(text: string, by: string, limit: bigint): string {
  const pieces = split(text, '')
  const before = Math.min(Number(limit), pieces.length)
  const out = pieces.map((rune, index) => (index < before ? by + rune : rune)).join('')
  return Number(limit) > pieces.length ? out + by : out
}

/** At most `limit` pieces of the text, the last with the rest; all pieces if `limit` is negative, none if it is 0. */
export function split(text: string, separator: string, limit = -1n): readonly string[] {
  if (limit === 0n) return []
  if (limit < 0n) limit = BigInt(text.length + 2)
  if (separator !== '') return splitUpTo(text, separator, limit)
  const runes = wide(text) ? [...text] : text.split('')
  if (BigInt(runes.length) <= limit) return runes
  const kept = Number(limit) - 1
  return [...runes.slice(0, kept), runes.slice(kept).join('')]
}

/** The last piece is the rest, in which the separator may occur. The limit is at least 1. */
function splitUpTo(text: string, separator: string, limit: bigint): readonly string[] {
  const pieces: string[] = []
  let start = 0
  while (BigInt(pieces.length + 1) < limit) {
    const at = firstIndex(text, separator, start)
    if (at < 0) break
    pieces.push(text.slice(start, at))
    start = at + separator.length
  }
  pieces.push(text.slice(start))
  return pieces
}

/** Escape sequences of characters that do not print as themselves. */
const quoted: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
])

const stepsPerQuoted = 3

/** The text in double quotes, with escape sequences. Unpaired surrogates become replacement characters. */
export function quote(text: string): string {
  spendSteps(text.length * stepsPerQuoted)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that have a sequence
  const body = text.replaceAll(/[\x07-\r\\"]/g, (one) => quoted.get(one) ?? one)
  return `"${body.replaceAll(/\p{Surrogate}/gu, '\ufffd')}"`
}
