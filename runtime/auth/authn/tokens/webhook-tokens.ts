import type { Clock } from '../../../kernel/async/clock.ts'
import { isObject, type Json, type JsonObject } from '../../../kernel/values/json.ts'
import type { AuthenticationResult } from '../authenticator.ts'
import { cachedTokens, type TokenCacheUses } from './cached-tokens.ts'
import type { TokenAuthenticator } from './token-authenticator.ts'

/** A service that reviews tokens. */
export interface TokenWebhookOptions {
  /** Sends a review and gives the one that comes back. @throws any error if there is none. */
  readonly review: (review: object) => Promise<Json>
  /** The group and version of reviews: `authentication.<api>/v1beta1`. */
  readonly apiVersion: string
  readonly apiAudiences: readonly string[]
  /** Milliseconds that answers are remembered. */
  readonly cacheMs: number
  readonly clock: Pick<Clock, 'monotonic'>
  readonly uses?: TokenCacheUses | undefined
}

/**
 * Asks another service whose a token is (N-17). What it says is remembered, refusals too; that it does not answer is not: such
 * a request is 401, and the next one asks again.
 */
export function webhookTokenAuthenticator(options: TokenWebhookOptions): TokenAuthenticator {
  const { cacheMs, clock, apiAudiences, uses } = options
  const asked: TokenAuthenticator = {
    async authenticate({ text }, audiences): Promise<AuthenticationResult> {
      const wanted = audiences ?? apiAudiences
      const spec = { token: text, ...(wanted.length > 0 && { audiences: wanted }) }
      const { apiVersion } = options
      const answer = await options.review({ kind: 'TokenReview', apiVersion, metadata: {}, spec })
      const result = resultOf(answer, wanted, apiAudiences)
      if (result === undefined || 'user' in result) return result
      return { refused: result.refused.replaceAll(text, 'the token') }
    },
  }
  return cachedTokens(asked, { clock, successMs: cacheMs, failureMs: cacheMs, uses })
}

function resultOf(
  answer: Json,
  wanted: readonly string[],
  apiAudiences: readonly string[],
): AuthenticationResult {
  const status = isObject(answer) && isObject(answer.status) ? answer.status : {}
  if (status.authenticated !== true) {
    return typeof status.error === 'string' && status.error !== ''
      ? { refused: status.error }
      : undefined
  }
  const named = texts(status.audiences)
  const audiences = wanted.filter((one) => (named.length > 0 ? named : apiAudiences).includes(one))
  if (wanted.length > 0 && audiences.length === 0) return undefined
  const user = isObject(status.user) ? status.user : {}
  const { username } = user
  if (typeof username !== 'string' || username === '') {
    return { refused: 'the webhook says that the token is good, but names no user' }
  }
  const extra = extraOf(user.extra)
  return {
    user: {
      username,
      ...(typeof user.uid === 'string' && user.uid !== '' && { uid: user.uid }),
      groups: texts(user.groups),
      ...(extra && { extra }),
    },
    audiences,
  }
}

function texts(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.filter((one): one is string => typeof one === 'string')
}

function extraOf(value: Json | undefined): Record<string, readonly string[]> | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) return undefined
  const entries = Object.entries(value as JsonObject).map(
    ([key, one]) => [key, texts(one)] as const,
  )
  return Object.fromEntries(entries)
}
