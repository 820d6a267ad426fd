import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Attributes, Recorder } from '../chain/attributes.ts'
import type { ReinvocationContext } from '../chain/plugin.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { inRequestVersion, versionAttributes } from '../matching/versioned-attributes.ts'
import type { Webhook } from './configurations.ts'
import { failClosedError, WebhookCallError } from './errors.ts'
import { applyWebhookPatch } from './patch.ts'
import { ReviewClient } from './review-client.ts'
import { WebhookMatcher } from './webhook-matcher.ts'

/** Calls mutating webhooks for the requests of a server. */
export class MutatingDispatcher {
  readonly #context: PluginContext
  readonly #client: ReviewClient
  readonly #matcher: WebhookMatcher
  readonly #key = Symbol('mutating webhooks')

  constructor(context: PluginContext) {
    this.#context = context
    this.#client = new ReviewClient(context, 'admit')
    this.#matcher = new WebhookMatcher(context)
  }

  /**
   * Calls the webhooks in order, each with the object as those before it left it, and returns the object as the last one left
   * it (supplement Q-08).
   *
   * @throws StatusError if a webhook denies the request, or fails and its failure policy is Fail
   */
  async mutate(
    webhooks: readonly Webhook[],
    attributes: Attributes,
    recorder: Recorder,
    reinvocation: ReinvocationContext,
  ): Promise<ApiObject | undefined> {
    const state = this.#stateOf(reinvocation)
    if (reinvocation.isReinvoke) state.reinvokeIfChanged(attributes.object)
    let { object } = attributes
    for (const [index, webhook] of webhooks.entries()) {
      if (reinvocation.isReinvoke && !state.isDue(webhook)) continue
      const current = { ...attributes, ...(object && { object }) }
      const round = reinvocation.isReinvoke ? 1 : 0
      const mutated = await this.#dispatch(
        webhook,
        current,
        recorder,
        `round_${round}_index_${index}`,
      )
      if (!mutated.called) continue
      if (mutated.object !== object) {
        state.reinvokeCalled()
        reinvocation.setShouldReinvoke()
      }
      object = mutated.object
      if (webhook.reinvokeIfNeeded) state.addCalled(webhook)
    }
    state.end(object)
    return object
  }

  close(): void {
    this.#client.close()
  }

  /** The object after one webhook, and whether the webhook was called and responded. */
  async #dispatch(
    webhook: Webhook,
    attributes: Attributes,
    recorder: Recorder,
    position: string,
  ): Promise<{ readonly called: boolean; readonly object: ApiObject | undefined }> {
    const { configuration, name } = webhook
    const version = await this.#matcher.matchingVersion(webhook, attributes)
    if (version === undefined) return { called: false, object: attributes.object }
    const key = `mutation.webhook.admission.${this.#context.scheme.platform.api}/${position}`
    let { object } = attributes
    try {
      const versioned = await versionAttributes(this.#context, version, attributes)
      const response = await this.#client.review(webhook, attributes, versioned, recorder)
      const patched = applyWebhookPatch(name, response, versioned)
      if (patched !== versioned.object)
        object = await inRequestVersion(this.#context, patched, attributes, versioned)
      return { called: true, object }
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error
      if (!webhook.ignoreFailure) throw failClosedError(error)
      recorder.annotate(`failed-open.${key}`, name)
      this.#client.recordFailOpen(webhook, error)
      return { called: false, object }
    } finally {
      const mutated = object !== attributes.object
      recorder.annotate(key, JSON.stringify({ configuration, webhook: name, mutated }))
    }
  }

  #stateOf({ values }: ReinvocationContext): ReinvocationState {
    const state =
      (values.get(this.#key) as ReinvocationState | undefined) ?? new ReinvocationState()
    values.set(this.#key, state)
    return state
  }
}

/** What the second run of the webhooks for one request needs to know of the first. */
class ReinvocationState {
  /** Webhooks that were called and have the reinvocation policy IfNeeded. */
  readonly #called = new Set<string>()
  /** Those of them that are to be called again, because the object changed after their call. */
  readonly #due = new Set<string>()
  #last: ApiObject | undefined

  /** Another plugin may have changed the object since the last webhook left it. */
  reinvokeIfChanged(object: ApiObject | undefined): void {
    if (!deepEqual(this.#last, object)) this.reinvokeCalled()
  }

  reinvokeCalled(): void {
    for (const id of this.#called) this.#due.add(id)
    this.#called.clear()
  }

  addCalled({ id }: Webhook): void {
    this.#called.add(id)
  }

  isDue({ id }: Webhook): boolean {
    return this.#due.has(id)
  }

  end(object: ApiObject | undefined): void {
    if (object !== undefined) this.#last = object
  }
}
