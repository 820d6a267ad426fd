import { errorText } from '../../kernel/errors/error-text.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Json } from '../../kernel/values/json.ts'
import { WebhookClient, WebhookClientClosed } from '../../webhook/webhook.ts'
import type { Attributes, Recorder } from '../chain/attributes.ts'
import { type AdmissionMetrics, admissionMetrics, type Step } from '../chain/metrics.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import type { VersionedAttributes } from '../matching/versioned-attributes.ts'
import {
  buildReview,
  parseReviewResponse,
  type ReviewResponse,
  reviewVersion,
} from './admission-review.ts'
import type { Webhook } from './configurations.ts'
import { denialError, dryRunUnsupportedError, WebhookCallError } from './errors.ts'

/** Sends AdmissionReviews to the webhooks of one step. */
export class ReviewClient {
  readonly #context: PluginContext
  readonly #step: Step
  readonly #metrics: AdmissionMetrics
  readonly #client: WebhookClient

  constructor(context: PluginContext, step: Step) {
    this.#context = context
    this.#step = step
    this.#metrics = admissionMetrics(context.metrics)
    this.#client = new WebhookClient(context.clock, context.resolve, context.scheme.platform)
  }

  /**
   * Calls a webhook, and records the warnings and audit annotations of its response.
   *
   * @throws WebhookCallError if there is no valid response within the webhook's timeout
   * @throws StatusError if the webhook denies the request, does not support its dry run, or the server is stopping
   */
  async review(
    webhook: Webhook,
    attributes: Attributes,
    versioned: VersionedAttributes,
    recorder: Recorder,
  ): Promise<ReviewResponse> {
    if (attributes.dryRun && !webhook.supportsDryRun) throw dryRunUnsupportedError(webhook.name)
    const response = await this.#timed(webhook, attributes, versioned)
    for (const [key, value] of response.annotations) {
      recorder.annotate(`${webhook.name}/${key}`, value)
    }
    for (const warning of response.warnings) recorder.warn(warning)
    if (!response.allowed) throw denialError(webhook.name, response.status)
    return response
  }

  /** Counts and logs a failed call of a webhook whose failure policy is Ignore. */
  recordFailOpen({ name }: Webhook, { message }: WebhookCallError): void {
    this.#metrics.failOpen(name, this.#step)
    this.#context.log.warn('webhook failed and is ignored', { webhook: name, why: message })
  }

  close(): void {
    this.#client.close()
  }

  /** A failed call that is ignored does not count as a rejection. */
  async #timed(webhook: Webhook, attributes: Attributes, versioned: VersionedAttributes) {
    const { clock } = this.#context
    const observe = this.#metrics.webhook(webhook.name, this.#step, attributes.operation)
    const start = clock.now()
    try {
      const response = await this.#call(webhook, attributes, versioned)
      observe(clock.now() - start, !response.allowed)
      return response
    } catch (error) {
      const ignored = error instanceof WebhookCallError && webhook.ignoreFailure
      observe(clock.now() - start, !ignored)
      throw error
    }
  }

  async #call(
    webhook: Webhook,
    attributes: Attributes,
    versioned: VersionedAttributes,
  ): Promise<ReviewResponse> {
    const { platform } = this.#context.scheme
    const version = reviewVersion(webhook.reviewVersions)
    if (version === undefined) {
      const reason =
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)'
      throw new WebhookCallError(webhook.name, reason)
    }
    const id = { uid: this.#context.uid(), version }
    const review = await this.#post(
      webhook,
      buildReview(platform, id, attributes, versioned),
      attributes.trace,
    )
    const response = parseReviewResponse(platform, id, review, this.#step)
    if (typeof response === 'string') throw new WebhookCallError(webhook.name, response)
    return response
  }

  async #post(
    { name, clientConfig, timeoutSeconds }: Webhook,
    review: object,
    trace: Attributes['trace'],
  ): Promise<Json> {
    try {
      return await this.#client.call(clientConfig, review, timeoutSeconds, trace)
    } catch (error) {
      if (error instanceof WebhookClientClosed) {
        throw new StatusError('ServiceUnavailable', error.message, { cause: error })
      }
      const reason = errorText(error)
      throw new WebhookCallError(name, `failed to call webhook: ${reason}`)
    }
  }
}
