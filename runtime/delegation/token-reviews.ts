import { tokenReviews } from '../../generated/apis/authentication/v1.ts'
import {
  type Authenticator,
  bearerTokenAuthenticator,
  webhookTokenAuthenticator,
} from '../auth/auth.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { Json } from '../kernel/values/json.ts'
import { withinLimit } from './within-limit.ts'

/** Who reviews tokens. */
export interface TokenReviewOptions {
  readonly client: Client
  /** Milliseconds that answers are remembered. */
  readonly cacheMs: number
  readonly clock: Clock
}

/** Asks a server whose the bearer token of a request is. */
export function tokenReviewAuthenticator({
  client,
  cacheMs,
  clock,
}: TokenReviewOptions): Authenticator {
  const reviews = client.resource(tokenReviews)
  const { group, version } = tokenReviews
  const review = async (body: object): Promise<Json> => {
    const draft = body as Parameters<typeof reviews.create>[0]
    const answer = await withinLimit(clock, (signal) => reviews.create(draft, {}, signal))
    return answer as unknown as Json
  }
  const apiVersion = `${group}/${version}`
  const tokens = webhookTokenAuthenticator({ review, apiVersion, apiAudiences: [], cacheMs, clock })
  return bearerTokenAuthenticator(tokens, [])
}
