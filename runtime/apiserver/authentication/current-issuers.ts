import { issuerTokenAuthenticator, type TokenAuthenticator, tokenChain } from '../../auth/auth.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { TokenIssuerOptions } from './authentication.ts'

/** Knows the tokens of the issuers that are believed now; another list means that they have changed. */
export function currentIssuers(
  issuers: () => readonly TokenIssuerOptions[],
  clock: Clock,
): TokenAuthenticator {
  let list: readonly TokenIssuerOptions[] = []
  let chain = tokenChain([])
  return {
    authenticate(token, audiences) {
      const now = issuers()
      if (now !== list) {
        list = now
        chain = tokenChain(now.map((one) => authenticatorOf(one, clock)))
      }
      return chain.authenticate(token, audiences)
    },
  }
}

function authenticatorOf(
  { issuer, algorithms = ['RS256'] }: TokenIssuerOptions,
  clock: Clock,
): TokenAuthenticator {
  return issuerTokenAuthenticator({ issuer, algorithms, clock })
}
