import type { Json } from '../../kernel/values/json.ts'
import { decodeJson } from './decode-json.ts'

/**
 * The value as compact JSON in UTF-8, properties in insertion order, bigints as integers, the characters of HTML escaped: the
 * canonical form of objects. Objects with keys like `10` have all keys sorted by their characters.
 */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(escapeHtml(jsonText(value)))
}

/** JSON with the characters that mean something in HTML or end a line in a script escaped, as clients get it. */
export function escapeHtml(json: string): string {
  const plain =
    !json.includes('<') &&
    !json.includes('>') &&
    !json.includes('&') &&
    !json.includes('\u2028') &&
    !json.includes('\u2029')
  if (plain) return json
  return json.replace(/[<>&\u2028\u2029]/g, (char) => escaped[char] ?? char)
}

/** Looked up: a text may have hundreds of thousands of them. */
const escaped: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** An object whose first key begins with a digit. JSON.stringify puts keys that are integers first, in numeric order. */
const numericKeys = /\{"\d/

/** JSON.stringify refuses bigints with a TypeError; values that have any are rare and printed by our own lines. */
function jsonText(value: unknown): string {
  try {
    const text = JSON.stringify(value)
    return numericKeys.test(text) ? (exactText(value) ?? 'null') : text
  } catch (error) {
    if (error instanceof TypeError) return exactText(value) ?? 'null'
    throw error
  }
}

/** What JSON.stringify gives, with bigints as integers and numeric keys in their place. Undefined for what has no JSON. */
function exactText(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => exactText(item) ?? 'null').join(',')}]`
  const keys = Object.keys(value)
  if (/^\d/.test(keys[0] ?? '')) keys.sort()
  const properties = keys.flatMap((key) => {
    const text = exactText((value as Readonly<Record<string, unknown>>)[key])
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${properties.join(',')}}`
}

/** What was stored has been checked when it was written. */
const unlimited = { depth: 1000, values: Infinity, keys: Infinity, items: Infinity }
/** Only a run of so many digits can be a number that a double cannot hold. */
const longDigits = 16

/** Parses what `encodeJson` wrote. For our own bytes only: text from outside is read by `decodeJson`, with limits. */
export function parseTrustedJson(bytes: Uint8Array): Json {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return hasLongDigits(bytes) ? decodeJson(text, unlimited).value : (JSON.parse(text) as Json)
}

/** True if there are so many digits in a row: one of every so many bytes is among them. */
function hasLongDigits(bytes: Uint8Array): boolean {
  for (let at = longDigits - 1; at < bytes.length; at += longDigits) {
    if (!isDigit(bytes[at])) continue
    let [from, to] = [at, at + 1]
    while (isDigit(bytes[from - 1])) from -= 1
    while (isDigit(bytes[to])) to += 1
    if (to - from >= longDigits) return true
  }
  return false
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}
