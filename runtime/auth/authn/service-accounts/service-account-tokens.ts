import { type Awaitable, chainAwaitable } from '../../../kernel/async/awaitable.ts'
import type { UserInfo } from '../../../kernel/auth/user-info.ts'
import type { Authenticated, AuthenticationResult } from '../authenticator.ts'
import {
  type Claims,
  readCompactToken,
  textClaim,
  textsClaim,
  timeClaim,
  timeProblem,
} from '../jwt/compact-token.ts'
import type { VerificationKey } from '../jwt/keys.ts'
import { verifiedClaims } from '../jwt/verify.ts'
import type { StoredAccount, StoredIdentity } from '../stored-identities.ts'
import { ExpiringMap } from '../tokens/expiring-map.ts'
import type { PresentedToken, TokenAuthenticator } from '../tokens/token-authenticator.ts'
import { boundObjectProblem } from './bound-objects.ts'
import { type AccountClaims, accountClaimsOf } from './claims.ts'
import { legacyIssuer } from './issuer.ts'
import { legacyVerdict } from './legacy-tokens.ts'
import type { ServiceAccountTokenOptions } from './options.ts'
import { accountGroups, accountUsername } from './usernames.ts'

/** A token whose signature holds. */
interface VerifiedToken {
  readonly claims: Claims
  readonly isLegacy: boolean
  readonly account: AccountClaims
  readonly user: UserInfo
  /** What it said last, for the audiences of this server. */
  last?: LastUse
}

/** A use of a token that was good: another one is, while what it names is the same and its time is not over. */
interface LastUse {
  readonly account: StoredAccount
  readonly pod: StoredIdentity | undefined
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly until: number
  readonly result: Authenticated
}

/** Milliseconds that a verified signature is remembered. */
const rememberedMs = 10 * 60 * 1000

/**
 * Knows the tokens that were issued here for service accounts (N-07 to N-10), by their issuer. A signature is verified once and
 * remembered; times, the account and what the token is bound to are checked at each use, from memory, so that a token whose
 * account is gone is refused at once.
 */
export function serviceAccountTokenAuthenticator(
  options: ServiceAccountTokenOptions,
): TokenAuthenticator {
  const verified = new ExpiringMap<VerifiedToken>(options.clock)
  let keys = options.keys()
  const current = (): readonly VerificationKey[] => {
    const now = options.keys()
    if (now !== keys) verified.clear()
    keys = now
    return now
  }
  return {
    authenticate(token, audiences) {
      const usable = current()
      const known = verified.get(token.digest)
      if (known !== undefined) {
        return goodAgain(known, audiences, options) ?? judged(known, token, audiences, options)
      }
      const unverified = readCompactToken(token.text)
      const issuer = textClaim(unverified?.claims ?? {}, 'iss')
      if (unverified === undefined || issuer === undefined) return undefined
      const isLegacy = issuer === legacyIssuer(options.platform)
      if (!isLegacy && !options.issuers.includes(issuer)) return undefined
      return verify(token, keysFor(unverified.header, usable), isLegacy, options).then((good) => {
        if (good === undefined)
          return { refused: 'the signature is not that of a key of this server' }
        verified.set(token.digest, good, rememberedMs)
        return judged(good, token, audiences, options)
      })
    },
  }
}

/** The key that a token names, or all of its algorithm if it names none that is known. */
function keysFor(header: Claims, keys: readonly VerificationKey[]): readonly VerificationKey[] {
  const [kid, algorithm] = [textClaim(header, 'kid'), textClaim(header, 'alg')]
  const fitting = keys.filter((key) => key.algorithm === algorithm)
  const named = fitting.filter((key) => key.kid === kid)
  return named.length > 0 ? named : fitting
}

async function verify(
  token: PresentedToken,
  keys: readonly VerificationKey[],
  isLegacy: boolean,
  { platform: { domain } }: ServiceAccountTokenOptions,
): Promise<VerifiedToken | undefined> {
  const claims = await verifiedClaims(token.text, keys)
  if (claims === undefined) return undefined
  const account = accountClaimsOf(claims, domain)
  return { claims, isLegacy, account, user: userOf(claims, account, domain) }
}

/** The user of a token, with what it is bound to (N-07). */
function userOf(claims: Claims, account: AccountClaims, domain: string): UserInfo {
  const { namespace, serviceaccount, pod, node } = account
  const id = textClaim(claims, 'jti')
  const key = (name: string): string => `authentication.${domain}/${name}`
  const extra = {
    ...(pod && { [key('pod-name')]: [pod.name], [key('pod-uid')]: [pod.uid] }),
    ...(id && { [key('credential-id')]: [`JTI=${id}`] }),
    ...(node && { [key('node-name')]: [node.name] }),
    ...(node?.uid && { [key('node-uid')]: [node.uid] }),
  }
  return {
    username: accountUsername(namespace, serviceaccount.name),
    ...(serviceaccount.uid && { uid: serviceaccount.uid }),
    groups: accountGroups(namespace),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

/** The last result, where looking up what the token names says that it still holds. */
function goodAgain(
  { last, account }: VerifiedToken,
  audiences: readonly string[] | undefined,
  { source, clock, uses }: ServiceAccountTokenOptions,
): Authenticated | undefined {
  if (last === undefined || audiences !== undefined) return undefined
  const now = clock.now()
  if (now < last.from || now >= last.until) return undefined
  const { namespace, serviceaccount, pod, warnafter } = account
  if (source.serviceAccount(namespace, serviceaccount.name) !== last.account) return undefined
  if (pod !== undefined && source.pod(namespace, pod.name) !== last.pod) return undefined
  if (warnafter) uses.valid()
  return last.result
}

/** Remembers a good use of a token of an account, or of a pod, none of which is being deleted. */
function remember(
  token: VerifiedToken,
  now: number,
  result: Authenticated,
  { source }: ServiceAccountTokenOptions,
): void {
  const { namespace, serviceaccount, pod: podClaim, secret, node, warnafter } = token.account
  if (secret !== undefined || (node !== undefined && podClaim === undefined)) return
  const account = source.serviceAccount(namespace, serviceaccount.name)
  const pod = podClaim && source.pod(namespace, podClaim.name)
  if (account instanceof Promise || pod instanceof Promise || account === undefined) return
  if (account.deletedAt !== undefined || pod?.deletedAt !== undefined) return
  const expires = timeClaim(token.claims, 'exp') ?? Number.POSITIVE_INFINITY
  const until = Math.min(expires, warnafter || Number.POSITIVE_INFINITY) * 1000
  token.last = { account, pod, from: now, until, result }
}

/** What a token whose signature holds says now. */
function judged(
  token: VerifiedToken,
  { text }: PresentedToken,
  wanted: readonly string[] | undefined,
  options: ServiceAccountTokenOptions,
): Awaitable<AuthenticationResult> {
  const { claims, isLegacy } = token
  const annotations: Record<string, string> = {}
  const audiences = audiencesOf(claims, wanted, options, annotations)
  if (typeof audiences === 'string') return { refused: audiences }
  const now = options.clock.now()
  const complete = (result: Authenticated): Authenticated => ({
    ...result,
    audiences,
    annotations: { ...annotations, ...result.annotations },
  })
  if (isLegacy) {
    const { source, uses, lookup, platform } = options
    const { domain } = platform
    const checks = { source, uses, lookup, now, domain, annotationPrefix: prefixOf(options) }
    return chainAwaitable(legacyVerdict(claims, text, checks), (one) =>
      'user' in one ? complete(one) : one,
    )
  }
  const problem = timeProblem(claims, now)
  if (problem !== undefined) return { refused: timeTexts[problem] }
  const { account, user } = token
  const checks = { ...options.nodeChecks, source: options.source, now }
  return chainAwaitable(boundObjectProblem(account, checks), (wrong): AuthenticationResult => {
    if (wrong !== undefined) return { refused: wrong }
    noteStale(token, now, options, annotations)
    const result = complete({ user })
    if (wanted === undefined) remember(token, now, result, options)
    return result
  })
}

const timeTexts = {
  expired: 'service account token has expired',
  early: 'service account token is not valid yet',
  future: 'service account token is issued in the future',
}

/** The audiences that count, or why there are none. A token without any is one of a secret: it is for this server. */
function audiencesOf(
  claims: Claims,
  wanted: readonly string[] | undefined,
  { apiAudiences, uses, ...options }: ServiceAccountTokenOptions,
  annotations: Record<string, string>,
): readonly string[] | string {
  let own = textsClaim(claims, 'aud') ?? []
  if (own.length === 0) {
    if (Object.hasOwn(claims, 'aud') && !Array.isArray(claims.aud))
      return 'the claim aud is no text'
    annotations[`${prefixOf(options)}legacy-token`] = textClaim(claims, 'sub') ?? ''
    uses.legacy()
    own = apiAudiences
  }
  const asked = wanted ?? apiAudiences
  const shared = own.filter((one) => asked.includes(one))
  if (shared.length > 0 || apiAudiences.length === 0) return shared
  return `token audiences ${listed(own)} is invalid for the target audiences ${listed(asked)}`
}

function listed(audiences: readonly string[]): string {
  return `[${audiences.map((one) => JSON.stringify(one)).join(' ')}]`
}

/** Counts tokens that pods get by default, and says which are used longer than was asked for. */
function noteStale(
  { claims, account: { warnafter } }: VerifiedToken,
  now: number,
  { uses, ...options }: ServiceAccountTokenOptions,
  annotations: Record<string, string>,
): void {
  if (!warnafter) return
  const late = Math.floor(now / 1000) - warnafter
  if (!(late > 0)) {
    uses.valid()
    return
  }
  uses.stale()
  const subject = textClaim(claims, 'sub') ?? ''
  annotations[`${prefixOf(options)}stale-token`] =
    `subject: ${subject}, seconds after warning threshold: ${late}`
}

/** What annotations of audit events begin with. */
function prefixOf({ platform }: Pick<ServiceAccountTokenOptions, 'platform'>): string {
  return `authentication.${platform.api}/`
}
