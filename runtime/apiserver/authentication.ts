import type {
  Authenticator,
  SigningKey,
  StaticTokens,
  TokenAuthenticator,
  VerificationKey,
} from '../auth/auth.ts'

/** The ways in which a server finds out who sends a request, in the order in which they are asked. */
export interface AuthenticationOptions {
  /** Judge the connection itself, before any token is looked at: the header of a front proxy, the client certificate. */
  readonly connection?: readonly Authenticator[]
  /** Tokens that a file says, by their digest: what `parseStaticTokens` gives. */
  readonly staticTokens?: StaticTokens['users']
  /** Secrets of the system namespace may hold tokens with which nodes join. Default false. */
  readonly bootstrapTokens?: boolean
  /** Know tokens that others issue: OpenID Connect, a webhook. They are asked last. */
  readonly tokens?: readonly TokenAuthenticator[]
  /** Requests without credentials are the anonymous user's. Default true. */
  readonly anonymous?: boolean
  /** The names by which this server knows itself in tokens. Default: the issuers of service account tokens. */
  readonly apiAudiences?: readonly string[]
  readonly serviceAccounts?: ServiceAccountOptions
}

/** How the tokens of service accounts are issued and checked. */
export interface ServiceAccountOptions {
  /** The first issues tokens, the tokens of all are known. Default: the service of the API, as an https URL. */
  readonly issuers?: readonly string[]
  /** Signs tokens. Default: a key that is made when it is first needed, and forgotten at exit. */
  readonly signingKey?: () => SigningKey
  /** Verify tokens; another list means that they have changed. Default: the signing key alone. */
  readonly keys?: () => readonly VerificationKey[]
  /** Default true: the objects that a token in a secret names must be there. */
  readonly lookup?: boolean
  /** Default true: tokens that pods get by default stay good for a year. */
  readonly extendExpiration?: boolean
  /** Most seconds of a token. Default: as many as are asked for. */
  readonly maxExpirationSeconds?: number
  /** Where the keys are said to be. Default: this server. */
  readonly jwksUri?: string
}
