/** What a request says about who sends it: headers, and a certificate for its connection. */

import { X509Certificate } from 'node:crypto'
import { timestamp } from '../../kernel/async/clock.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { isObject } from '../../kernel/values/json.ts'
import type { Credentials, Impersonation } from './connection-config.ts'

/** Headers of a request: a list is one header many times. */
export type Headers = Readonly<Record<string, string | readonly string[]>>

/** The headers that say who sends a request. */
export function authorization({ token, username, password }: Credentials): Headers {
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (username === undefined) return {}
  const pair = Buffer.from(`${username}:${password ?? ''}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

/**
 * The headers that say whom a request is made as.
 *
 * @throws StatusError `BadRequest` for groups, a uid or extras without a user: sent without one, requests would be made as
 * the user of the credentials, who may do more.
 */
export function impersonation(as: Impersonation | undefined): Headers {
  if (as === undefined) return {}
  if (as.user === '') {
    throw new StatusError('BadRequest', 'impersonate: groups, uid and extra need a user to act as')
  }
  const extra = Object.entries(as.extra ?? {}).map(
    ([key, values]) => [`impersonate-extra-${escapedKey(key)}`, values.map(headerText)] as const,
  )
  return {
    'impersonate-user': headerText(as.user),
    ...(as.uid !== undefined && as.uid !== '' && { 'impersonate-uid': headerText(as.uid) }),
    ...(as.groups?.length && { 'impersonate-group': as.groups.map(headerText) }),
    ...Object.fromEntries(extra),
  }
}

/** What credentials are, and since when they count no more, for the message of a 401. Never what they say. */
export function credentialWords(credentials: Credentials, now: number): string {
  const { token, username, cert } = credentials
  if (token !== undefined) return `its bearer token${expired(tokenExpiry(token), now)}`
  if (username !== undefined) return 'its name and password'
  if (cert !== undefined) return `its client certificate${expired(certificateExpiry(cert), now)}`
  return 'no credentials: there is neither a token, a certificate, nor a password'
}

function expired(at: number | undefined, now: number): string {
  return at !== undefined && at <= now ? `, which expired at ${timestamp(at)}` : ''
}

/** The `exp` of a JSON web token; undefined for tokens of other forms. */
function tokenExpiry(token: string): number | undefined {
  const [, payload = '', signature] = token.split('.')
  if (signature === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const exp = isObject(claims) ? Number(claims.exp) * 1000 : Number.NaN
    return Number.isFinite(new Date(exp).getTime()) ? exp : undefined
  } catch {
    return undefined
  }
}

function certificateExpiry(cert: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(cert).validTo)
  } catch {
    return undefined
  }
}

/** Node writes a header byte by byte; servers read it as UTF-8. */
function headerText(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1')
}

/** Bytes that no header name may hold, and the percent sign, are written as %XX. */
function escapedKey(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte) => String.fromCharCode(byte))
    .map((char) => (/[\w!#$&'*+.^`|~-]/.test(char) ? char : percent(char)))
    .join('')
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
