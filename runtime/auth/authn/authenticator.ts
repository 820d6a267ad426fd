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
  readonly peer?: AuthenticationPeer
}

/** What is known of the other end of a connection. */
export interface AuthenticationPeer {
  readonly remoteAddress?: string | undefined
  /** The certificate that the other end sent, unverified; undefined where it sent none. */
  readonly certificate?: () => PeerCertificate | undefined
}

/** A certificate as the other end of a connection sent it: nothing of it is verified. */
export interface PeerCertificate {
  /** In DER. */
  readonly raw: Buffer
  /** The certificates that were sent with it, in their order, in DER. */
  readonly chain: readonly Buffer[]
}

/** A user, and what is to be told of how it was found. */
export interface Authenticated {
  readonly user: UserInfo
  /** The audiences that the credentials are good for, of those that were asked for; absent where they know none. */
  readonly audiences?: readonly string[]
  /** For the audit event; keys are behind the group `authentication.<api>`: `stale-token`. */
  readonly annotations?: Readonly<Record<string, string>>
  /** For the client, which is told them in `Warning` headers. */
  readonly warnings?: readonly string[]
}

/**
 * What one authenticator says: who the user is; that it refuses the credentials, and why (for the log, never for the
 * client); or undefined, no opinion: the request carries nothing that it understands.
 */
export type AuthenticationResult = Authenticated | { readonly refused: string } | undefined

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
