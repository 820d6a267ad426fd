import type { Json } from '../../kernel/values/json.ts'
import { decodeJson } from './decode-json.ts'

/** The value as compact JSON in UTF-8, properties in insertion order, bigints as integers: the canonical form of objects. */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(jsonText(value))
}

/** JSON.stringify refuses bigints with a TypeError; values that have any are rare and printed by our own lines. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof TypeError) return exactText(value) ?? 'null'
    throw error
  }
}

/** What JSON.stringify gives, with bigints as integers. Undefined for what has no JSON, such as functions. */
function exactText(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => exactText(item) ?? 'null').join(',')}]`
  const properties = Object.entries(value).flatMap(([key, item]) => {
    const text = exactText(item)
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${properties.join(',')}}`
}

/** What was stored has been checked when it was written. */
const unlimited = { depth: 1000, values: Infinity, keys: Infinity, items: Infinity }
/** Only a run of 16 digits can be a number that a double cannot hold. */
const longDigits = /\d{16}/

/** Parses what `encodeJson` wrote. For our own bytes only: text from outside is read by `decodeJson`, with limits. */
export function parseTrustedJson(bytes: Uint8Array): Json {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return longDigits.test(text) ? decodeJson(text, unlimited).value : (JSON.parse(text) as Json)
}
