import type { Attributes, Recorder } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import type { Webhook } from './configurations.ts'
import { denialError, failClosedError, WebhookCallError } from './errors.ts'
import { matchConditionsHold } from './match-conditions.ts'
import { matchingVersion } from './match-rules.ts'
import { ReviewClient, versionAttributes } from './review-client.ts'

/** One request before the webhooks. */
interface Dispatch {
  readonly world: PluginContext
  readonly calls: ReviewClient
  readonly subject: Attributes
  readonly voice: Recorder
}

/** Calls webhooks that look at requests, all at once. */
export class ValidatingDispatcher {
  readonly #world: PluginContext
  readonly #calls: ReviewClient

  constructor(world: PluginContext) {
    this.#world = world
    this.#calls = new ReviewClient(world, 'validate')
  }

  /** Fails if any of the webhooks refuses; of several refusals the first in order is told. */
  async validate(hooks: readonly Webhook[], subject: Attributes, voice: Recorder): Promise<void> {
    const row = { world: this.#world, calls: this.#calls, subject, voice }
    const results = await Promise.all(hooks.map((hook, index) => errorFrom(row, hook, index)))
    const refusal = results.find((one) => one !== undefined)
    if (refusal !== undefined) throw refusal
  }

  close(): void {
    this.#calls.close()
  }
}

/** What one webhook refuses the request with, or fails it with; undefined if it may pass. */
async function errorFrom(row: Dispatch, hook: Webhook, index: number): Promise<unknown> {
  const { world, calls, subject, voice } = row
  try {
    const asked = await matchingVersion(world, hook, subject)
    if (asked === undefined) return undefined
    if (!(await matchConditionsHold(world, hook, asked, subject))) return undefined
    const answer = await calls.review(hook, subject, await versionAttributes(world, asked, subject))
    for (const [key, text] of answer.annotations) voice.annotate(`${hook.name}/${key}`, text)
    for (const text of answer.warnings) voice.warn(text)
    return answer.allowed ? undefined : denialError(hook.name, answer.status)
  } catch (error) {
    if (!(error instanceof WebhookCallError)) return error
    if (!hook.ignoreFailure) return failClosedError(error)
    const { api } = world.scheme.platform
    const key = `failed-open.validating.webhook.admission.${api}/round_0_index_${index}`
    voice.annotate(key, hook.name)
    calls.recordFailOpen(hook, error)
    return undefined
  }
}
