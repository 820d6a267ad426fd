import { createHash } from 'node:crypto'
import type { Awaitable } from '../../../kernel/async/awaitable.ts'
import { firstDecision, throwTogether } from '../../first-decision.ts'
import type { AuthenticationResult } from '../authenticator.ts'

/** A bearer token as a client presents it. What is kept of it is its digest; the text goes into no log and no error. */
export class PresentedToken {
  readonly text: string
  #digest: string | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Names the token in caches, from which it cannot be told. Made once. */
  get digest(): string {
    this.#digest ??= createHash('sha256').update(this.text).digest('base64')
    return this.#digest
  }
}

/** Finds out whose a bearer token is. */
export interface TokenAuthenticator {
  /**
   * The user, a refusal, or no opinion about a token that is of another sort. Synchronous where nothing has to be waited for.
   *
   * @param audiences Those of which the token must be good for one; without them, those of the API server.
   * @throws any error if it cannot tell.
   */
  authenticate(
    token: PresentedToken,
    audiences?: readonly string[],
  ): Awaitable<AuthenticationResult>
}

/** Bytes of a token beyond which it is not looked at: the headers of a request hold no longer one. */
const longestToken = 64 * 1024

/**
 * Asks authenticators in order. The first that names a user decides; a refusal stands if none does.
 *
 * @throws the errors of its members if all they say is errors.
 */
export function tokenChain(members: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    authenticate(token, audiences) {
      if (token.text.length > longestToken) return undefined
      return firstDecision<TokenAuthenticator, AuthenticationResult>(
        members,
        (member) => member.authenticate(token, audiences),
        isUser,
        ({ results, errors }) => undecided(results, errors),
      )
    },
  }
}

/** True for a result that names a user. */
export function isUser(result: AuthenticationResult): boolean {
  return result !== undefined && 'user' in result
}

/** What remains of a chain in which no member named a user: all reasons together, or none. @throws if there are errors alone. */
export function undecided(
  results: readonly AuthenticationResult[],
  errors: readonly unknown[],
): AuthenticationResult {
  const reasons = results.flatMap((one) =>
    one !== undefined && 'refused' in one ? [one.refused] : [],
  )
  if (reasons.length > 0) return { refused: reasons.join(', ') }
  return errors.length === 0 ? undefined : throwTogether(errors, 'authentication failed')
}

/** A member whose credentials are good for every audience of the API server, and for no other. */
export function withoutAudience(
  member: TokenAuthenticator,
  apiAudiences: readonly string[],
): TokenAuthenticator {
  return {
    authenticate(token, audiences) {
      const wanted = audiences ?? apiAudiences
      const shared = wanted.filter((one) => apiAudiences.includes(one))
      if (wanted.length > 0 && shared.length === 0) return undefined
      const found = member.authenticate(token, audiences)
      const add = (result: AuthenticationResult): AuthenticationResult =>
        result !== undefined && 'user' in result ? { ...result, audiences: shared } : result
      return found instanceof Promise ? found.then(add) : add(found)
    },
  }
}
