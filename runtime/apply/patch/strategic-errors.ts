/** Errors of strategic merge patches (supplement P-06). */

import { StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'

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

/** The longest text of a value in a message, in UTF-16 units. */
const longest = 1000

/** A value in Go's `%v` format, which clients know from such messages: `map[image:nginx]`, `[a b]`. */
export function goText(value: Json): string {
  const text = plain(value)
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}

function plain(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map((item: Json) => plain(item)).join(' ')}]`
  if (!isObject(value)) return String(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${entries.map(([name, item]) => `${name}:${plain(item)}`).join(' ')}]`
}
