import { subjectAccessReviews } from '../../generated/apis/authorization/v1.ts'
import { type Authorizer, webhookAuthorizer } from '../auth/auth.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { withinLimit } from './within-limit.ts'

/** Who reviews what users may. */
export interface AccessReviewOptions {
  readonly client: Client
  /** Milliseconds that allowances and refusals are remembered. */
  readonly allowedMs: number
  readonly refusedMs: number
  readonly clock: Clock
}

/** Asks a server whether a user may do something. */
export function accessReviewAuthorizer({ client, ...rest }: AccessReviewOptions): Authorizer {
  const reviews = client.resource(subjectAccessReviews)
  return webhookAuthorizer({
    ...{ ...rest, onFailure: 'NoOpinion' },
    async ask(spec) {
      const draft = { metadata: {}, spec } as Parameters<typeof reviews.create>[0]
      const { status } = await withinLimit(rest.clock, (signal) =>
        reviews.create(draft, {}, signal),
      )
      return status ?? {}
    },
  })
}
