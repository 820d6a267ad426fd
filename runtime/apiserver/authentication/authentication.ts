import type {
  Authenticator,
  JWTAuthenticator,
  SignatureAlgorithm,
  SigningKey,
  StaticTokens,
  TokenAuthenticator,
  VerificationKey,
} from '../../auth/auth.ts'

/** The ways in which a server finds out who sends a request, in the order in which they are asked. */
export interface AuthenticationOptions {
  /** Judge the connection itself, before any token is looked at: the header of a front proxy, the client certificate. */
  readonly connection?: readonly Authenticator[]
  /** Tokens that a file says, by their digest: what `parseStaticTokens` gives. */
  readonly staticTokens?: StaticTokens['users']
  /** Secrets of the system namespace may hold tokens with which nodes join. Default false. */
  readonly bootstrapTokens?: boolean
  /** Know further tokens. */
  readonly tokens?: readonly TokenAuthenticator[]
  /** Issuers of OpenID Connect whose tokens are believed; of a function, another list means that they have changed. */
  readonly issuers?: readonly TokenIssuerOptions[] | (() => readonly TokenIssuerOptions[])
  /** A service that is asked last whose a token is. */
  readonly webhook?: TokenWebhook
  /** Requests without credentials are the anonymous user's. Default true. */
  readonly anonymous?: boolean
  /** The names by which this server knows itself in tokens. Default: the issuers of service account tokens. */
  readonly apiAudiences?: readonly string[]
  readonly serviceAccounts?: ServiceAccountOptions
}

/** An issuer of tokens that is none of ours. */
export interface TokenIssuerOptions {
  readonly issuer: JWTAuthenticator
  /** The algorithms that its tokens may be signed by. Default RS256. */
  readonly algorithms?: readonly SignatureAlgorithm[]
}

/** A service that reviews tokens. */
export interface TokenWebhook {
  /** An orchconfig with its address, and who this server is there. */
  readonly file: string
  /** The version of reviews. Default v1beta1. */
  readonly version?: 'v1' | 'v1beta1'
  /** Milliseconds that answers are remembered. Default two minutes. */
  readonly cacheMs?: number
  /** Milliseconds for an answer. Default half a minute. */
  readonly timeoutMs?: number
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
