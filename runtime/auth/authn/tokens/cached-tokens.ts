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
  readonly uses?: TokenCacheUses | undefined
}

/** Hears of what a cache of tokens does. */
export interface TokenCacheUses {
  /** A token is looked up; the returned function is called when its result is known, and says whether it was kept. */
  lookUp(): (isHit: boolean) => void
  /** The authenticator is asked; the returned function is called when it has answered or failed. */
  fetch(): (isAnswered: boolean) => void
  /** A request waits for what another one has asked; the returned function is called when it goes on. */
  wait(): () => void
}

/**
 * Keeps what an authenticator said, by the digest of the token and the audiences. While the authenticator is being asked about a
 * token, others with the same token wait for the same result.
 */
export function cachedTokens(
  authenticator: TokenAuthenticator,
  { clock, successMs, failureMs, uses }: TokenCacheOptions,
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
      const lookedUp = uses?.lookUp()
      const known = kept.get(key)
      if (known !== undefined) {
        lookedUp?.(true)
        return known.result
      }
      const waiting = asked.get(key)
      if (waiting !== undefined) {
        const goOn = uses?.wait()
        return waiting.finally(() => {
          goOn?.()
          lookedUp?.(false)
        })
      }
      const fetched = uses?.fetch()
      const result = authenticator.authenticate(token, audiences)
      if (!(result instanceof Promise)) {
        fetched?.(true)
        lookedUp?.(false)
        return keep(key, result)
      }
      result.then(
        () => fetched?.(true),
        () => fetched?.(false),
      )
      const settled = result
        .then((one) => keep(key, one))
        .finally(() => {
          asked.delete(key)
          lookedUp?.(false)
        })
      asked.set(key, settled)
      return settled
    },
  }
}

/** A digest has no brackets, so that no audience can be taken for a part of it. */
function keyOf({ digest }: PresentedToken, audiences: readonly string[] | undefined): string {
  return audiences === undefined ? digest : digest + JSON.stringify(audiences)
}
