import { isObject, type JsonObject } from '../../../kernel/values/json.ts'
import { decodeJson } from '../../../serializer/serializer.ts'

/** The claims of a token, of which nothing is trusted before its signature is verified. */
export type Claims = JsonObject

/** A token in its compact form, read but not verified. */
export interface CompactToken {
  readonly header: Claims
  readonly claims: Claims
}

/** What a header or the claims of a token may hold. */
const limits = { depth: 32, values: 20_000, keys: 2000, items: 10_000 }

/**
 * Reads a signed token in its compact form: three parts in base64url, of which the first two are JSON objects. Undefined for any
 * other text, and for one in which a name stands twice: readers could take it for two tokens.
 */
export function readCompactToken(text: string): CompactToken | undefined {
  const first = text.indexOf('.')
  const second = text.indexOf('.', first + 1)
  if (first <= 0 || second < 0 || text.indexOf('.', second + 1) >= 0) return undefined
  const claims = objectOf(text.slice(first + 1, second))
  const header = claims && objectOf(text.slice(0, first))
  return header && { header, claims }
}

/** The object that a part of a token is. */
function objectOf(part: string): Claims | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return undefined
  return claimsOf(Buffer.from(part, 'base64url'))
}

/** The object that the bytes of verified claims hold; undefined if they are none, or a name stands twice. */
export function claimsOf(bytes: Uint8Array): Claims | undefined {
  try {
    const { value, duplicates } = decodeJson(bytes, limits)
    return isObject(value) && duplicates.length === 0 ? value : undefined
  } catch {
    return undefined
  }
}

/** A claim that is a text; undefined if it is absent or another value. */
export function textClaim(claims: Claims, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** A claim that is a time, in seconds since the epoch; undefined if it is absent, NaN for another value. */
export function timeClaim(claims: Claims, name: string): number | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  if (value === undefined) return undefined
  return typeof value === 'number' ? value : Number.NaN
}

/** A claim that is a text or a list of texts; undefined if it is absent or something else. */
export function textsClaim(claims: Claims, name: string): readonly string[] | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((one): one is string => typeof one === 'string')
  return texts.length === value.length ? texts : undefined
}

/** Seconds that the clocks of who signs and who checks may differ. */
const leeway = 60

/** Why claims do not hold at a time, in milliseconds since the epoch; undefined if they do. */
export function timeProblem(
  claims: Claims,
  now: number,
): 'expired' | 'early' | 'future' | undefined {
  const seconds = now / 1000
  const expires = timeClaim(claims, 'exp')
  const begins = timeClaim(claims, 'nbf')
  const issued = timeClaim(claims, 'iat')
  if (begins !== undefined && !(seconds + leeway >= begins)) return 'early'
  if (expires !== undefined && !(seconds - leeway <= expires)) return 'expired'
  if (issued !== undefined && !(seconds + leeway >= issued)) return 'future'
  return undefined
}
