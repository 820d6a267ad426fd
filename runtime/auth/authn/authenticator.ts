import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { UserInfo } from '../../kernel/auth/user-info.ts'

/** The facts of a request that may hold credentials: everything but its body. */
export interface AuthenticationRequest {
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The other end of the connection; absent for a request of the same process. */
  readonly peer?: { readonly remoteAddress?: string | undefined }
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
