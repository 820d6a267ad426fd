import type { Clock } from '../../../kernel/async/clock.ts'
import type { AuthenticationResult } from '../authenticator.ts'
import { cachedTokens } from '../tokens/cached-tokens.ts'
import type { PresentedToken, TokenAuthenticator } from '../tokens/token-authenticator.ts'
import type { ClaimMapping } from './claim-mapping.ts'
import { readCompactToken, textClaim, textsClaim, timeProblem } from './compact-token.ts'
import { IssuerKeys } from './issuer-keys.ts'
import type { JWTAuthenticator } from './jwt-issuer.ts'
import { isAlgorithm, type SignatureAlgorithm } from './keys.ts'
import { loadClaimMapping } from './load-claim-mapping.ts'
import { verifiedClaims } from './verify.ts'

/** An issuer whose tokens are believed. */
export interface JwtOptions {
  readonly issuer: JWTAuthenticator
  /** The algorithms that its tokens may be signed by. */
  readonly algorithms: readonly SignatureAlgorithm[]
  readonly clock: Clock
}

/** Milliseconds that a user of a verified token is remembered. */
const rememberedMs = 10_000

/**
 * Knows the tokens of an issuer of OpenID Connect (N-17): by its discovery document and its keys, which are read when the first token
 * comes. Has no opinion about tokens of other issuers.
 *
 * @throws, when it is asked, an Error if the issuer does not tell its keys.
 */
export function issuerTokenAuthenticator({
  issuer,
  algorithms,
  clock,
}: JwtOptions): TokenAuthenticator {
  const { url, certificateAuthority: ca } = issuer.issuer
  const fetchLater = async (address: string) =>
    (await import('./issuer-documents.ts')).fetchDocument(address, ca)
  const keys = new IssuerKeys(url, fetchLater, clock)
  let mapping: ClaimMapping | undefined
  const known: TokenAuthenticator = {
    async authenticate(token): Promise<AuthenticationResult> {
      mapping ??= (await loadClaimMapping()).claimMapping(issuer).mapping
      return verifiedUser(token, { issuer, algorithms, clock, keys, mapping })
    },
  }
  const cached = cachedTokens(known, { clock, successMs: rememberedMs, failureMs: 0 })
  return {
    authenticate(token, audiences) {
      const claims = readCompactToken(token.text)?.claims
      return isOf(url, claims && textClaim(claims, 'iss'))
        ? cached.authenticate(token, audiences)
        : undefined
    },
  }
}

/** One well-known issuer signs with a name that is no URL. */
function isOf(url: string, issuer: string | undefined): boolean {
  return issuer === url || (issuer === 'accounts.google.com' && url === `https://${issuer}`)
}

interface Verification extends JwtOptions {
  readonly keys: IssuerKeys
  readonly mapping: ClaimMapping
}

async function verifiedUser(
  { text }: PresentedToken,
  { issuer: { issuer }, algorithms, clock, keys, mapping }: Verification,
): Promise<AuthenticationResult> {
  const header = readCompactToken(text)?.header ?? {}
  const algorithm = textClaim(header, 'alg') ?? ''
  if (!isAlgorithm(algorithm) || !algorithms.includes(algorithm)) {
    return { refused: 'oidc: the token is signed by an algorithm that is not allowed' }
  }
  const claims = await verifiedClaims(text, await keys.keysFor(textClaim(header, 'kid'), algorithm))
  if (claims === undefined) return { refused: 'oidc: the signature is not that of the issuer' }
  const audiences = textsClaim(claims, 'aud') ?? []
  if (!issuer.audiences.some((one) => audiences.includes(one))) {
    return { refused: 'oidc: the token is for another audience' }
  }
  if (!Object.hasOwn(claims, 'exp')) return { refused: 'oidc: the token has no end' }
  const problem = timeProblem(claims, clock.now())
  if (problem !== undefined) return { refused: `oidc: the token is ${timeWords[problem]}` }
  try {
    return { user: mapping(claims) }
  } catch (error) {
    return { refused: `oidc: ${(error as Error).message}` }
  }
}

const timeWords = { expired: 'expired', early: 'not valid yet', future: 'issued in the future' }
