import { generateKeyPairSync } from 'node:crypto'
import {
  type Authenticator,
  anonymousAuthenticator,
  bearerProtocols,
  bearerTokenAuthenticator,
  bootstrapTokenAuthenticator,
  publicPartOf,
  reviewToken,
  type SigningKey,
  serviceAccountTokenAuthenticator,
  staticTokenAuthenticator,
  type TokenAuthenticator,
  type TokenService,
  tokenChain,
  tokenIssuer,
  unionAuthenticator,
  type VerificationKey,
  verificationKeyOf,
  webhookTokenAuthenticator,
  withAuthenticatedGroup,
  withoutAudience,
} from '../../auth/auth.ts'
import { type EnabledGates, enabledGatesOf } from '../../kernel/descriptors/enabled-gates.ts'
import { groupNames, type Platform } from '../../kernel/descriptors/platform.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { type Metrics, noMetrics } from '../../observe/observe.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ServerDocument } from '../../server/server.ts'
import { defined } from '../defined.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { ApiServerOptions } from '../options.ts'
import type { ReviewWebhook } from '../webhooks/review-webhook.ts'
import type { Accounts } from './accounts.ts'
import type { AuthenticationOptions } from './authentication.ts'
import { currentIssuers } from './current-issuers.ts'
import { openidDocuments } from './openid-documents.ts'
import { storedIdentities } from './stored-identities.ts'
import { tokenCacheUses, tokenUses } from './token-uses.ts'

/** What authentication is to the rest of a server. */
export interface StartedAuthentication {
  /** The chain of the server; undefined where every request is the anonymous user's. */
  readonly authenticator: Authenticator | undefined
  /** What reviews and requests of tokens ask. */
  readonly tokens: TokenService
  /** The documents by which others verify the tokens of this server, by their path. */
  readonly documents: ReadonlyMap<string, ServerDocument>
}

/** What authentication works over. The registry is asked for at each use: it does not exist yet. */
export interface AuthenticationParts {
  readonly registry: () => Registry
  readonly metrics: Metrics | undefined
  /** Those that know who a connection is by its certificates, if it has any. */
  readonly connection: readonly Authenticator[]
  /** The service that reviews tokens, where there is one. */
  readonly webhook: ReviewWebhook | undefined
  /** Host and port under which others find this server. */
  readonly address: () => string
}

/** Puts the chain together (N-01). Nothing is loaded or made before the first request with credentials. */
export function startAuthentication(
  given: ApiServerOptions,
  parts: AuthenticationParts,
): StartedAuthentication {
  const options = withConnection(given, parts.connection)
  const { authentication } = options
  const accounts = accountsOf(options, parts)
  const webhook = webhookOf(options, accounts, parts)
  const chain = tokenChain(tokenMembers(options, accounts, webhook))
  return {
    authenticator: authentication && requestChain(authentication, chain, options.scheme.platform),
    tokens: tokenServiceOf(options, accounts, chain),
    documents: openidDocuments(accounts, parts.address),
  }
}

/** A server that certificates are shown to authenticates, also where nothing else is asked for. */
function withConnection(
  options: ApiServerOptions,
  own: readonly Authenticator[],
): ApiServerOptions {
  const { authentication } = options
  if (own.length === 0) return options
  const connection = [...own, ...(authentication?.connection ?? [])]
  return { ...options, authentication: { ...authentication, connection } }
}

function accountsOf(
  options: ApiServerOptions,
  { registry, metrics }: AuthenticationParts,
): Accounts {
  const { authentication: { serviceAccounts = {}, ...rest } = {}, scheme, clock, log } = options
  const temporary = options.group?.tokenKey ?? temporaryKey()
  const { platform } = scheme
  const { issuers = [`https://${platform.brand}.default.svc`], lookup = true } = serviceAccounts
  const { signingKey = temporary } = serviceAccounts
  const { keys = onlyKey(signingKey) } = serviceAccounts
  const { apiAudiences = issuers } = rest
  const source = storedIdentities(registry, log, platform.domain)
  const nodeGate = 'ServiceAccountTokenNodeBindingValidation'
  const checksNodes = gatesOf(options).has(nodeGate)
  const authenticator = serviceAccountTokenAuthenticator({
    ...{ issuers, keys, apiAudiences, lookup, source, platform, clock },
    nodeChecks: { checksNodes, nodeGate },
    uses: tokenUses(metrics ?? noMetrics()),
  })
  const { jwksUri } = serviceAccounts
  return { issuers, apiAudiences, signingKey, keys, source, authenticator, jwksUri }
}

function gatesOf({ gates, scheme }: ApiServerOptions): EnabledGates {
  return gates ?? enabledGatesOf(scheme)
}

/** A key that lives as long as the process, made at its first use. */
function temporaryKey(): () => SigningKey {
  let made: SigningKey | undefined
  return () => {
    made ??= newKey()
    return made
  }
}

function newKey(): SigningKey {
  const key = verificationKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  invariant(typeof key !== 'string', 'a new key is of a known curve')
  return key
}

/** The same list as long as the key is the same. */
function onlyKey(signingKey: () => SigningKey): () => readonly VerificationKey[] {
  let list: readonly VerificationKey[] = []
  return () => {
    const key = signingKey()
    if (list[0]?.kid !== key.kid) list = [publicPartOf(key)]
    return list
  }
}

/**
 * The service that reviews tokens; undefined where there is none. Its connection is made when the first token comes that only it may know.
 *
 * @throws StatusError with everything that is wrong with its file.
 */
export async function openTokenWebhook(
  { authentication: { webhook } = {}, clock }: ApiServerOptions,
  lifecycle: Pick<Lifecycle, 'signal'>,
): Promise<ReviewWebhook | undefined> {
  if (webhook === undefined) return undefined
  const { file, timeoutMs } = webhook
  const { openReviewWebhook } = await import('../webhooks/review-webhook.ts')
  const opened = await openReviewWebhook(file, { clock, ...defined({ timeoutMs }) })
  lifecycle.signal.addEventListener('abort', () => void opened.close())
  return opened
}

function webhookOf(
  { authentication: { webhook } = {}, scheme, clock }: ApiServerOptions,
  { apiAudiences }: Accounts,
  { webhook: opened, metrics }: AuthenticationParts,
): TokenAuthenticator | undefined {
  if (webhook === undefined || opened === undefined) return undefined
  const { version = 'v1beta1', cacheMs = 120_000 } = webhook
  return webhookTokenAuthenticator({
    review: (question) => opened.send(question),
    apiVersion: `authentication.${scheme.platform.api}/${version}`,
    ...{ apiAudiences, cacheMs, clock },
    uses: metrics && tokenCacheUses(metrics, clock),
  })
}

/** The members that know tokens, those that need no other machine first. */
function tokenMembers(
  { authentication = {}, scheme: { platform }, clock }: ApiServerOptions,
  { authenticator, apiAudiences, source }: Accounts,
  webhook: TokenAuthenticator | undefined,
): readonly TokenAuthenticator[] {
  const { staticTokens, bootstrapTokens = false, tokens = [], issuers = [] } = authentication
  const own = (member: TokenAuthenticator) => withoutAudience(member, apiAudiences)
  return [
    ...(staticTokens === undefined ? [] : [own(staticTokenAuthenticator(staticTokens))]),
    authenticator,
    ...(bootstrapTokens ? [own(bootstrapTokenAuthenticator({ source, platform, clock }))] : []),
    ...tokens,
    own(currentIssuers(typeof issuers === 'function' ? issuers : () => issuers, clock)),
    ...(webhook === undefined ? [] : [webhook]),
  ]
}

function requestChain(
  { connection = [], anonymous = true }: AuthenticationOptions,
  tokens: TokenAuthenticator,
  platform: Platform,
): Authenticator {
  const suffixes = groupNames('', platform).map((name) => name.slice(1))
  const bearer = bearerTokenAuthenticator(tokens, bearerProtocols(suffixes))
  const known = withAuthenticatedGroup(unionAuthenticator([...connection, bearer]))
  if (!anonymous) return known
  return unionAuthenticator([known, anonymousAuthenticator], { failOnError: true })
}

function tokenServiceOf(
  options: ApiServerOptions,
  { issuers: [issuer = ''], apiAudiences, signingKey: key }: Accounts,
  chain: TokenAuthenticator,
): TokenService {
  const { authentication: { serviceAccounts = {} } = {}, scheme } = options
  const { extendExpiration: extendsExpiration = true, maxExpirationSeconds } = serviceAccounts
  const { domain } = scheme.platform
  const limits = { extendsExpiration, ...defined({ maxExpirationSeconds }) }
  return {
    apiAudiences,
    review: (token, audiences) => reviewToken(chain, token, audiences),
    issuer: tokenIssuer({ issuer, key, domain, ...limits }),
  }
}
