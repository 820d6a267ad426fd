import type { Platform } from '../../../kernel/descriptors/platform.ts'
import type { SigningKey } from '../jwt/keys.ts'
import type { AccountClaims, ObjectClaim } from './claims.ts'
import { accountUsername } from './usernames.ts'

/** What a token is to say. Times are seconds since the epoch. */
export interface TokenContent {
  readonly account: AccountClaims
  readonly audiences: readonly string[]
  readonly issued: number
  readonly expires: number
  /** Identifies the token; behind a gate. */
  readonly id?: string
}

/** Signs the tokens of service accounts. */
export interface TokenIssuer {
  /** Most seconds of a token; without it, as many as are asked for. */
  readonly maxExpirationSeconds?: number
  /** Tokens that pods get by default stay good for a year; using them longer than asked for is recorded. */
  readonly extendsExpiration: boolean
  sign(content: TokenContent): Promise<string>
}

/** What an issuer signs with. */
export interface IssuerOptions extends Pick<TokenIssuer, 'maxExpirationSeconds'> {
  /** The name of the issuer. */
  readonly issuer: string
  /** The key at the time of a signature: it may change. */
  readonly key: () => SigningKey
  /** The name of the claim that says which account it is. */
  readonly domain: string
  readonly extendsExpiration: boolean
}

/** An issuer that signs by a key. Claims stand in the order of their names. */
export function tokenIssuer({ issuer, key, domain, ...limits }: IssuerOptions): TokenIssuer {
  return {
    ...limits,
    async sign({ account, audiences, issued, expires, id }) {
      const claims = {
        aud: audiences,
        exp: expires,
        iat: issued,
        iss: issuer,
        ...(id !== undefined && { jti: id }),
        [domain]: account,
        nbf: issued,
        sub: accountUsername(account.namespace, account.serviceaccount.name),
      }
      return signed(claims, key())
    },
  }
}

/** Whose token a secret holds: names of objects. */
export interface LegacyTokenContent {
  readonly namespace: string
  readonly secret: string
  readonly account: ObjectClaim
}

/** A token for a secret (N-10): it has no end, and is good as long as the secret holds it. */
export function signLegacyToken(
  { namespace, secret, account }: LegacyTokenContent,
  { brand, domain }: Pick<Platform, 'brand' | 'domain'>,
  key: SigningKey,
): Promise<string> {
  const claims = {
    iss: legacyIssuer({ brand }),
    [`${domain}/serviceaccount/namespace`]: namespace,
    [`${domain}/serviceaccount/secret.name`]: secret,
    [`${domain}/serviceaccount/service-account.name`]: account.name,
    [`${domain}/serviceaccount/service-account.uid`]: account.uid,
    sub: accountUsername(namespace, account.name),
  }
  return signed(claims, key)
}

/** The issuer of the tokens in secrets. */
export function legacyIssuer({ brand }: Pick<Platform, 'brand'>): string {
  return `${brand}/serviceaccount`
}

async function signed(claims: object, { kid, algorithm, key }: SigningKey): Promise<string> {
  const { CompactSign } = await import('jose')
  const sorted = Object.entries(claims).sort(([one], [other]) => (one < other ? -1 : 1))
  return new CompactSign(Buffer.from(JSON.stringify(Object.fromEntries(sorted))))
    .setProtectedHeader({ alg: algorithm, kid })
    .sign(key)
}
