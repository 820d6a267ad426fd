import type { Attributes, Recorder } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { versionAttributes } from '../matching/versioned-attributes.ts'
import type { Webhook } from './configurations.ts'
import { failClosedError, WebhookCallError } from './errors.ts'
import { ReviewClient } from './review-client.ts'
import { WebhookMatcher } from './webhook-matcher.ts'

/** Calls validating webhooks for the requests of a server. */
export class ValidatingDispatcher {
  readonly #context: PluginContext
  readonly #client: ReviewClient
  readonly #matcher: WebhookMatcher

  constructor(context: PluginContext) {
    this.#context = context
    this.#client = new ReviewClient(context, 'validate')
    this.#matcher = new WebhookMatcher(context)
  }

  /**
   * Calls the webhooks all at once, and waits for every one of them.
   *
   * @throws StatusError if webhooks deny the request, or fail and their failure policy is Fail: that of the first in order
   */
  async validate(
    webhooks: readonly Webhook[],
    attributes: Attributes,
    recorder: Recorder,
  ): Promise<void> {
    const errors = await Promise.all(
      webhooks.map((webhook, index) => this.#errorOf(webhook, index, attributes, recorder)),
    )
    const first = errors.find((error) => error !== undefined)
    if (first !== undefined) throw first
  }

  close(): void {
    this.#client.close()
  }

  /** The error to reject the request with; undefined if the webhook allows it or is not called. */
  async #errorOf(
    webhook: Webhook,
    index: number,
    attributes: Attributes,
    recorder: Recorder,
  ): Promise<unknown> {
    try {
      const version = await this.#matcher.matchingVersion(webhook, attributes)
      if (version === undefined) return undefined
      const versioned = await versionAttributes(this.#context, version, attributes)
      await this.#client.review(webhook, attributes, versioned, recorder)
      return undefined
    } catch (error) {
      if (!(error instanceof WebhookCallError)) return error
      if (!webhook.ignoreFailure) return failClosedError(error)
      const { api } = this.#context.scheme.platform
      const key = `failed-open.validating.webhook.admission.${api}/round_0_index_${index}`
      recorder.annotate(key, webhook.name)
      this.#client.recordFailOpen(webhook, error)
      return undefined
    }
  }
}
