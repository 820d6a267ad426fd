/** Errors of strategic merge patches (supplement P-06). */

import { StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { numberText } from '../../kernel/values/number-text.ts'

/** A directive of the wrong form. */
export function badDirective(why: string): StatusError {
  return new StatusError('BadRequest', why)
}

/** Content that contradicts a directive; the reason is not stated. */
export function mismatch(): StatusError {
  return new StatusError(
    'Invalid',
    'the server rejected our request due to an error in our request',
    { details: {} },
  )
}

/** A patch that the schema gives no way to merge: a Status without a reason. */
export function unspecifiedError(why: string): StatusError {
  return new StatusError('', why)
}

/** A `$patch` that means nothing where it stands. */
export function unknownDirective(directive: Json, item: JsonObject): StatusError {
  return unspecifiedError(`unknown patch type: ${goString(directive)} in map: ${goText(item)}`)
}

/** A value of another type than a directive or its list needs; types have Go's names. */
export function wrongType(expected: string, given: Json): StatusError {
  return unspecifiedError(`expected a ${expected}, but received a ${goType(given)}`)
}

function goType(value: Json): string {
  if (value === null) return '%!s(<nil>)'
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64'
}

/** The longest text of a value in a message, in UTF-16 units. */
const longest = 1000

/** A value in Go's `%v` format, which clients know from such messages: `map[image:nginx]`, `[a b]`. */
export function goText(value: Json): string {
  return cut(plain(value))
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}

function plain(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map((item: Json) => plain(item)).join(' ')}]`
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value)
  if (!isObject(value)) return String(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${entries.map(([name, item]) => `${name}:${plain(item)}`).join(' ')}]`
}

/** A value in Go's `%s` format, which marks what is no text. */
function goString(value: Json): string {
  if (typeof value === 'string') return cut(value)
  if (value === null) return goType(value)
  if (Array.isArray(value)) return cut(`[${value.map((item: Json) => goString(item)).join(' ')}]`)
  if (!isObject(value)) return `%!s(${goType(value)}=${plain(value)})`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return cut(`map[${entries.map(([name, item]) => `${name}:${goString(item ?? null)}`).join(' ')}]`)
}

/** A number in Go's `%v` format: an integer that 64 bits do not hold is a double. */
export function goNumber(value: number | bigint): string {
  if (typeof value === 'number') return numberText(value)
  return value === BigInt.asIntN(64, value) ? String(value) : numberText(Number(value))
}
