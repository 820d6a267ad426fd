import type { Json } from '../../kernel/values/json.ts'
import { decodeJson } from './decode-json.ts'

/** The value as compact JSON text in UTF-8, properties in the order they stand. 64-bit integers are written exactly. */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(jsonText(value))
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof TypeError) return exactText(value) ?? 'null'
    throw error
  }
}

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

const unlimited = { depth: 1000, values: Infinity, keys: Infinity, items: Infinity }
const longDigits = /\d{16}/

/** Reads what `encode` wrote. Trusted bytes only: text from outside goes through `decodeJson`. */
export function parseTrustedJson(bytes: Uint8Array): Json {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return longDigits.test(text) ? decodeJson(text, unlimited).value : (JSON.parse(text) as Json)
}
