import type { SubjectAccessReviewSpec } from '../../../generated/apis/authorization/v1.ts'
import type { ReviewStatus } from '../../auth/auth.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import {
  AnswerTooLarge,
  connectWebhook,
  type WebhookAnswer,
  type WebhookConnection,
} from '../webhooks/webhook-connection.ts'
import type { AuthorizationWebhook } from './authorization-options.ts'

/** Most bytes of an answer. */
const mostBytes = 64 * 1024

/** How often a question is asked that got no answer, and how long the first wait between is. */
const maxAttempts = 5
const firstWaitMs = 500

/** What reviews are sent with. */
interface WebhookReviewsBase {
  /** The suffix of the groups of the API. */
  readonly api: string
  readonly clock: Clock
  readonly connection: WebhookConnection
}

/**
 * Reads the file of a webhook; the connection is made by the first review.
 *
 * @throws StatusError with everything that is wrong with the file.
 */
export async function openWebhookReviews(
  options: AuthorizationWebhook,
  api: string,
  clock: Clock,
): Promise<WebhookReviews> {
  const connection = await connectWebhook(options.orchconfig, { clock, mostBytes })
  return new WebhookReviews(options, { api, clock, connection })
}

/** Sends reviews to a webhook. */
export class WebhookReviews {
  readonly #options: AuthorizationWebhook
  readonly #apiVersion: string
  readonly #clock: Clock
  readonly #connection: WebhookConnection

  constructor(options: AuthorizationWebhook, { api, clock, connection }: WebhookReviewsBase) {
    this.#options = options
    this.#apiVersion = `authorization.${api}/${options.version}`
    this.#clock = clock
    this.#connection = connection
  }

  /** @throws an Error if the webhook cannot be reached in time, or answers with something else than a review. */
  async ask(spec: SubjectAccessReviewSpec): Promise<ReviewStatus> {
    const { timeoutMs = 30_000 } = this.#options
    const signal = AbortSignal.timeout(timeoutMs)
    const body = JSON.stringify({
      kind: 'SubjectAccessReview',
      apiVersion: this.#apiVersion,
      metadata: { creationTimestamp: null },
      spec: this.#options.version === 'v1beta1' ? olderSpec(spec) : spec,
      status: { allowed: false },
    })
    for (let attempt = 1, waitMs = firstWaitMs; ; attempt++, waitMs *= 1.5) {
      const answer = await this.#post(body, signal)
      if (typeof answer !== 'string') return answer
      if (attempt === maxAttempts || signal.aborted) throw new Error(answer)
      await this.#wait(waitMs, signal)
    }
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  /** The answer; a text for a failure after which it is worth asking again. @throws an Error for any other. */
  async #post(body: string, signal: AbortSignal): Promise<ReviewStatus | string> {
    let answer: WebhookAnswer
    try {
      answer = await this.#connection.post(body, signal)
    } catch (error) {
      if (signal.aborted) throw new Error('the authorization webhook did not answer in time')
      if (error instanceof AnswerTooLarge) throw new Error('its answer is too large')
      return `the authorization webhook cannot be reached: ${(error as Error).message}`
    }
    const { status } = answer
    if (status === 429 || status >= 500) return `the authorization webhook answered ${status}`
    if (status < 200 || status > 299) {
      throw new Error(`the authorization webhook answered ${status}`)
    }
    return reviewStatus(answer.body)
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

/** The older version calls the groups `group`. */
function olderSpec({ groups, ...spec }: SubjectAccessReviewSpec): object {
  return { ...spec, ...(groups && { group: groups }) }
}

function reviewStatus(bytes: Buffer): ReviewStatus {
  let value: Json
  try {
    value = JSON.parse(bytes.toString()) as Json
  } catch {
    throw new Error('the authorization webhook answered with something else than JSON')
  }
  const status = isObject(value) ? value.status : undefined
  if (status === undefined || !isObject(status) || typeof (status.allowed ?? false) !== 'boolean') {
    throw new Error('the authorization webhook answered with something else than a review')
  }
  const { allowed, denied, reason } = status
  return {
    allowed: allowed === true,
    denied: denied === true,
    ...(typeof reason === 'string' && { reason }),
  }
}
