import type { Subject, Voice } from '../attempt.ts'
import type { World } from '../world.ts'
import { shownAs, WebhookCalls } from './call.ts'
import { conditionsHold } from './conditions.ts'
import { CallFailure, denied, failedClosed } from './failure.ts'
import type { Hook } from './hook.ts'
import { versionFor } from './match.ts'

/** One request before the webhooks. */
interface Row {
  readonly world: World
  readonly calls: WebhookCalls
  readonly subject: Subject
  readonly voice: Voice
}

/** Calls webhooks that look at requests, all at once. */
export class ValidatingCalls {
  readonly #world: World
  readonly #calls: WebhookCalls

  constructor(world: World) {
    this.#world = world
    this.#calls = new WebhookCalls(world, 'validate')
  }

  /** Fails if any of the webhooks refuses; of several refusals the first in order is told. */
  async validate(hooks: readonly Hook[], subject: Subject, voice: Voice): Promise<void> {
    const row = { world: this.#world, calls: this.#calls, subject, voice }
    const results = await Promise.all(hooks.map((hook, index) => refusalBy(row, hook, index)))
    const refusal = results.find((one) => one !== undefined)
    if (refusal !== undefined) throw refusal
  }

  close(): void {
    this.#calls.close()
  }
}

/** What one webhook refuses the request with, or fails it with; undefined if it may pass. */
async function refusalBy(row: Row, hook: Hook, index: number): Promise<unknown> {
  const { world, calls, subject, voice } = row
  try {
    const asked = await versionFor(world, hook, subject)
    if (asked === undefined) return undefined
    if (!(await conditionsHold(world, hook, asked, subject))) return undefined
    const answer = await calls.ask(hook, subject, shownAs(world, asked, subject))
    for (const [key, text] of answer.annotations) voice.annotate(`${hook.name}/${key}`, text)
    for (const text of answer.warnings) voice.warn(text)
    return answer.allowed ? undefined : denied(hook.name, answer.status)
  } catch (error) {
    if (!(error instanceof CallFailure)) return error
    if (!hook.ignoreFailure) return failedClosed(error)
    const { api } = world.tree.platform
    const key = `failed-open.validating.webhook.admission.${api}/round_0_index_${index}`
    voice.annotate(key, hook.name)
    calls.passOver(hook, error)
    return undefined
  }
}
