import type { Subject, Voice } from '../attempt.ts'
import type { World } from '../world.ts'
import { Caller, shownAs } from './call.ts'
import { conditionsHold } from './conditions.ts'
import { CallFailure, denied, failedClosed } from './failure.ts'
import type { Hook } from './hook.ts'
import { versionFor } from './match.ts'

/** Calls webhooks that look at requests, all at once. */
export class ValidatingCalls {
  readonly #world: World
  readonly #caller: Caller

  constructor(world: World) {
    this.#world = world
    this.#caller = new Caller(world, 'validate')
  }

  /** Fails if any of the webhooks refuses; of several refusals the first in order is told. */
  validate(hooks: readonly Hook[], subject: Subject, voice: Voice): Promise<void> {
    return askAll(this.#world, this.#caller, hooks, subject, voice)
  }

  close(): void {
    this.#caller.close()
  }
}

async function askAll(
  world: World,
  caller: Caller,
  hooks: readonly Hook[],
  subject: Subject,
  voice: Voice,
): Promise<void> {
  const results = await Promise.all(
    hooks.map((hook, index) => look(world, caller, hook, index, subject, voice)),
  )
  const refusal = results.find((one) => one !== undefined)
  if (refusal !== undefined) throw refusal
}

async function look(
  world: World,
  caller: Caller,
  hook: Hook,
  index: number,
  subject: Subject,
  voice: Voice,
): Promise<unknown> {
  try {
    const asked = await versionFor(world, hook, subject)
    if (asked === undefined) return undefined
    if (!(await conditionsHold(world, hook, asked, subject))) return undefined
    const answer = await caller.ask(hook, subject, shownAs(world, asked, subject))
    for (const [key, text] of answer.annotations) voice.annotate(`${hook.name}/${key}`, text)
    for (const text of answer.warnings) voice.warn(text)
    return answer.allowed ? undefined : denied(hook.name, answer.status)
  } catch (error) {
    if (!(error instanceof CallFailure)) return error
    if (!hook.ignoreFailure) return failedClosed(error)
    const { api } = world.tree.platform
    voice.annotate(
      `failed-open.validating.webhook.admission.${api}/round_0_index_${index}`,
      hook.name,
    )
    caller.passOver(hook, error)
    return undefined
  }
}
