/** Asking one webhook about one request. */

import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'
import { WebhookClient, WebhookClientClosed } from '../../webhook/webhook.ts'
import type { Attributes } from '../chain/attributes.ts'
import { type AdmissionMetrics, admissionMetrics, type Step } from '../chain/metrics.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import {
  buildReview,
  parseReviewResponse,
  type ReviewResponse,
  reviewVersion,
} from './admission-review.ts'
import type { Webhook } from './configurations.ts'
import { dryRunUnsupportedError, WebhookCallError } from './errors.ts'

/** A request as a webhook sees it. */
export interface VersionedAttributes {
  readonly resource: AnyKind
  readonly kind: AnyKind
  readonly object?: ApiObject
  readonly old?: ApiObject
}

/** The request in the version that the webhook registered for. */
export async function versionAttributes(
  { convert }: PluginContext,
  asked: AnyKind,
  subject: Attributes,
): Promise<VersionedAttributes> {
  const { resource, kind, object, old } = subject
  const same = asked === resource || kind !== resource
  const seen = (one: ApiObject) => (same ? one : convert(one, kind, asked))
  return {
    resource: asked,
    kind: same ? kind : asked,
    ...(object && { object: await seen(object) }),
    ...(old && { old: await seen(old) }),
  }
}

/** Asks the webhooks of a server, over connections of its own. */
export class ReviewClient {
  readonly #world: PluginContext
  readonly #step: Step
  readonly #meters: AdmissionMetrics
  readonly #webhooks: WebhookClient

  constructor(world: PluginContext, step: Step) {
    this.#world = world
    this.#step = step
    this.#meters = admissionMetrics(world.metrics)
    this.#webhooks = new WebhookClient(world.clock, world.resolve)
  }

  /**
   * What the webhook says. Fails with a CallFailure if it says nothing that can be understood; as unavailable, whatever
   * the webhook's policy, when the server stops before it has answered.
   */
  async review(
    hook: Webhook,
    subject: Attributes,
    shown: VersionedAttributes,
  ): Promise<ReviewResponse> {
    if (subject.dryRun && !hook.supportsDryRun) throw dryRunUnsupportedError(hook.name)
    const { clock } = this.#world
    const timed = this.#meters.webhook(hook.name, this.#step, subject.operation)
    const began = clock.now()
    try {
      const answer = await this.#ask(hook, subject, shown)
      timed(clock.now() - began, !answer.allowed)
      return answer
    } catch (error) {
      timed(clock.now() - began, !(error instanceof WebhookCallError && hook.ignoreFailure))
      throw error
    }
  }

  /** Counts and logs a failure that the webhook's policy passes over. */
  recordFailOpen({ name }: Webhook, { message: why }: WebhookCallError): void {
    this.#meters.failOpen(name, this.#step)
    this.#world.log.warn('webhook failed and is ignored', { webhook: name, why })
  }

  close(): void {
    this.#webhooks.close()
  }

  async #ask(
    hook: Webhook,
    subject: Attributes,
    shown: VersionedAttributes,
  ): Promise<ReviewResponse> {
    const { platform } = this.#world.scheme
    const version = reviewVersion(hook.reviewVersions)
    if (version === undefined) {
      const why =
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)'
      throw new WebhookCallError(hook.name, why)
    }
    const question = { ...shown, uid: this.#world.uid(), version }
    const review = await this.#post(hook, buildReview(platform, subject, question))
    const answer = parseReviewResponse(platform, review, question, this.#step === 'admit')
    if (typeof answer === 'string') throw new WebhookCallError(hook.name, answer)
    return answer
  }

  async #post(
    { name, clientConfig: client, timeoutSeconds }: Webhook,
    review: object,
  ): Promise<Json> {
    try {
      return await this.#webhooks.call(client, review, timeoutSeconds)
    } catch (error) {
      if (error instanceof WebhookClientClosed) {
        throw new StatusError('ServiceUnavailable', error.message, { cause: error })
      }
      const why = error instanceof Error ? error.message : String(error)
      throw new WebhookCallError(name, `failed to call webhook: ${why}`)
    }
  }
}
