import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { UserInfo } from '../../kernel/auth/user-info.ts'

/** The facts of a request that may hold credentials: everything but its body. */
export interface AuthenticationRequest {
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Names and values in turn as they came, where `headers` has joined those that stood several times. */
  readonly rawHeaders?: readonly string[]
  /** The other end of the connection, one object for all its requests; absent for a request of the same process. */
  readonly peer?: RequestPeer
}

/** The other end of a connection. */
export interface RequestPeer {
  /** An IP address; undefined once the connection is closed. */
  readonly remoteAddress?: string | undefined
  /** What it sent as its certificate, unverified; undefined if it sent none. Absent without TLS. */
  readonly certificate?: () => PeerCertificate | undefined
}

/** A certificate as it came, in DER, and those that came with it: any order, any length, nothing of them is verified. */
export interface PeerCertificate {
  readonly raw: Buffer
  readonly chain: readonly Buffer[]
}

/**
 * What one authenticator says: who the user is; that it refuses the credentials, and why (for the log, never for the
 * client); or undefined, no opinion: the request carries nothing that it understands.
 */
export type AuthenticationResult =
  | { readonly user: UserInfo }
  | { readonly refused: string }
  | undefined

/** Finds out on whose behalf a request is made. */
export interface Authenticator {
  /**
   * Answers without a promise where nothing has to be waited for, so that a read from memory stays synchronous.
   *
   * @throws any error if it cannot tell, such as a webhook that does not answer. A request whose authenticators all failed
   *   or have no opinion is answered 401 Unauthorized.
   */
  authenticate(request: AuthenticationRequest): Awaitable<AuthenticationResult>
}

/** Each value of a header that may stand several times; `name` is in lower case. */
export function headerValues(
  { headers, rawHeaders }: AuthenticationRequest,
  name: string,
): readonly string[] {
  const value = headers[name]
  if (value === undefined) return []
  if (rawHeaders === undefined) return typeof value === 'string' ? [value] : value
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}
