/**
 * Continue tokens: where a list goes on, as text that clients hand back unread. A token is checked like any input: it can
 * name no key
 * outside of the collection that it is used for.
 */
import { StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
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
  const token = jsonOf(text)
  if (!isObject(token)) throw refused('it cannot be read')
  const { v, rv, start } = token
  if (v !== marker) throw refused('it is of another version of the server')
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || (rv < 1 && rv !== -1)) {
    throw refused('it has no version')
  }
  if (typeof start !== 'string' || !isRelative(start, segments)) throw refused('it has no start')
  return { ...(rv > 0 && { revision: rv }), after: start }
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Json
  } catch {
    throw refused('it cannot be read')
  }
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
  return new StatusError('BadRequest', `invalid continue token: ${why}`)
}
