import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { AuthenticationResult } from './authenticator.ts'
import type { TokenIssuer } from './service-accounts/issuer.ts'

/** What the API says and does about tokens: TokenReview and TokenRequest ask it. */
export interface TokenService {
  /** The audiences of this server: those of a review or a request that names none. */
  readonly apiAudiences: readonly string[]
  /** Whose a token is, for one of the audiences. @throws any error if it cannot tell. */
  review(token: string, audiences: readonly string[]): Awaitable<AuthenticationResult>
  readonly issuer: TokenIssuer
}
