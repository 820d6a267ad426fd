import type { Clock } from '../../../kernel/async/clock.ts'
import type { AuthenticationResult } from '../authenticator.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { PresentedToken, TokenAuthenticator } from './token-authenticator.ts'

/** How long results are kept, in milliseconds. 0 keeps none. */
export interface TokenCacheOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Of users that were named. */
  readonly successMs: number
  /** Of refusals, and of unknown tokens. What was thrown is never kept. */
  readonly failureMs: number
}

/**
 * Keeps what an authenticator said, by the digest of the token and the audiences. While the authenticator is being asked about a
 * token, others with the same token wait for the same result.
 */
export function cachedTokens(
  authenticator: TokenAuthenticator,
  { clock, successMs, failureMs }: TokenCacheOptions,
): TokenAuthenticator {
  const kept = new ExpiringMap<{ readonly result: AuthenticationResult }>(clock)
  const asked = new Map<string, Promise<AuthenticationResult>>()
  const keep = (key: string, result: AuthenticationResult): AuthenticationResult => {
    const named = result !== undefined && 'user' in result
    kept.set(key, { result }, named ? successMs : failureMs)
    return result
  }
  return {
    authenticate(token, audiences) {
      const key = keyOf(token, audiences)
      const known = kept.get(key)
      if (known !== undefined) return known.result
      const waiting = asked.get(key)
      if (waiting !== undefined) return waiting
      const result = authenticator.authenticate(token, audiences)
      if (!(result instanceof Promise)) return keep(key, result)
      const settled = result.then((one) => keep(key, one)).finally(() => asked.delete(key))
      asked.set(key, settled)
      return settled
    },
  }
}

/** A digest has no brackets, so that no audience can be taken for a part of it. */
function keyOf({ digest }: PresentedToken, audiences: readonly string[] | undefined): string {
  return audiences === undefined ? digest : digest + JSON.stringify(audiences)
}
