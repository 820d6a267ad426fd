/**
 * Continue tokens: where a list goes on, as text that clients hand back unread. A token is checked like any input: it can
 * name no key
 * outside of the collection that it is used for.
 */
import { StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { syntaxProblem } from '../../serializer/serializer.ts'
import type { Revision } from '../../store/store.ts'

/** Where a list goes on. */
export interface ContinueToken {
  /** The version of the first page; undefined to go on at the latest version. */
  readonly revision?: Revision
  /** The last key of the page before, without the prefix of the collection. */
  readonly after: string
}

/** Tells tokens of this format from those of another version of the server. */
const marker = 'meta/v1'

/** The token as base64url text. */
export function encodeContinueToken({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: marker, rv: revision ?? -1, start: after })).toString(
    'base64url',
  )
}

/**
 * Reads a token. `segments`: how many parts a key has below the prefix of the collection.
 *
 * @throws StatusError BadRequest unless `encodeContinueToken` made it for a collection of this depth.
 */
export function decodeContinueToken(text: string, segments: number): ContinueToken {
  const { v = '', rv = 0, start = '' } = fieldsOf(text)
  if (typeof v !== 'string') throw refused(mistyped(v, 'string', 'v'))
  if (v !== marker) throw refused(`server does not recognize this encoded version ${v}`)
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || (rv < 1 && rv !== -1)) {
    throw refused(mistyped(rv, 'int64', 'rv'))
  }
  if (typeof start !== 'string') throw refused(mistyped(start, 'string', 'start'))
  if (start === '') throw refused(`encoded start key empty (version ${marker})`)
  if (!isRelative(start, segments)) throw refused(start)
  return { ...(rv > 0 && { revision: rv }), after: start }
}

/** The fields of a token, whatever they are; null has none. */
function fieldsOf(text: string): JsonObject {
  const odd = /[^-\w]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined)
  if (odd !== undefined) throw refused(`illegal base64 data at input byte ${odd}`)
  const bytes = Buffer.from(text, 'base64url')
  const problem = syntaxProblem(bytes)
  if (problem !== undefined) throw refused(problem)
  const value = JSON.parse(bytes.toString()) as Json
  if (value === null) return {}
  if (isObject(value)) return value
  throw refused(`json: cannot unmarshal ${typeName(value)} into Go value of type ${goType}`)
}

/** What public servers call a token in messages. */
const goType = 'storage.continueToken'

function mistyped(value: Json, wanted: string, field: string): string {
  return `json: cannot unmarshal ${typeName(value)} into Go struct field continueToken.${field} of type ${wanted}`
}

function typeName(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function isRelative(start: string, segments: number): boolean {
  const parts = start.split('/')
  return (
    parts.length === segments &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..') &&
    !/[\0\p{Surrogate}]/u.test(start)
  )
}

function refused(why: string): StatusError {
  return new StatusError('BadRequest', `invalid continue token: continue key is not valid: ${why}`)
}
