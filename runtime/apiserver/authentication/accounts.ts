import type {
  IdentitySource,
  SigningKey,
  TokenAuthenticator,
  VerificationKey,
} from '../../auth/auth.ts'

/** Service accounts with all defaults. */
export interface Accounts {
  readonly issuers: readonly string[]
  readonly apiAudiences: readonly string[]
  readonly signingKey: () => SigningKey
  readonly keys: () => readonly VerificationKey[]
  readonly source: IdentitySource
  readonly authenticator: TokenAuthenticator
  readonly jwksUri: string | undefined
}
