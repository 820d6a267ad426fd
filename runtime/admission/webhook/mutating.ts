import { equal } from '../../kernel/equal.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import type { Subject, Voice } from '../attempt.ts'
import type { Round } from '../plugin.ts'
import type { World } from '../world.ts'
import { shownAs, WebhookCalls } from './call.ts'
import { conditionsHold } from './conditions.ts'
import { CallFailure, denied, failedClosed } from './failure.ts'
import type { Hook } from './hook.ts'
import { versionFor } from './match.ts'
import { patched } from './patch.ts'

/** What the first round leaves for the second. */
interface Memory {
  /** Webhooks that were called and want to be called again if something changes after them. */
  readonly called: Set<string>
  /** Those of them after which something did change. */
  readonly due: Set<string>
  last?: ApiObject
}

/** One way of a request past the webhooks. */
interface Row {
  readonly world: World
  readonly calls: WebhookCalls
  readonly voice: Voice
  readonly round: Round
  readonly memory: Memory
}

/** Calls webhooks that change objects. */
export class MutatingCalls {
  readonly #world: World
  readonly #calls: WebhookCalls
  readonly #key = Symbol('mutating webhooks')

  constructor(world: World) {
    this.#world = world
    this.#calls = new WebhookCalls(world, 'admit')
  }

  /** The object as the webhooks leave it: each sees what the ones before it left (supplement Q-08). */
  mutate(
    hooks: readonly Hook[],
    subject: Subject,
    voice: Voice,
    round: Round,
  ): Promise<ApiObject | undefined> {
    const memory = (round.memory.get(this.#key) as Memory | undefined) ?? fresh()
    round.memory.set(this.#key, memory)
    if (round.again && !equal(memory.last, subject.object)) makeDue(memory)
    const row = { world: this.#world, calls: this.#calls, voice, round, memory }
    return inTurn(row, hooks, subject)
  }

  close(): void {
    this.#calls.close()
  }
}

async function inTurn(
  row: Row,
  hooks: readonly Hook[],
  subject: Subject,
): Promise<ApiObject | undefined> {
  const { round, memory } = row
  let object = subject.object
  for (const [index, hook] of hooks.entries()) {
    if (round.again && !memory.due.has(hook.id)) continue
    const current = { ...subject, ...(object && { object }) }
    object = await passed(row, hook, index, current)
  }
  if (object !== undefined) memory.last = object
  return object
}

function fresh(): Memory {
  return { called: new Set(), due: new Set() }
}

function makeDue({ called, due }: Memory): void {
  for (const id of called) due.add(id)
  called.clear()
}

/** The object as one webhook leaves it: the very same one if it is not called, changes nothing, or fails and may. */
async function passed(
  row: Row,
  hook: Hook,
  index: number,
  subject: Subject,
): Promise<ApiObject | undefined> {
  const { world, calls, voice, round, memory } = row
  const { configuration, name: webhook } = hook
  const asked = await versionFor(world, hook, subject)
  if (asked === undefined || !(await conditionsHold(world, hook, asked, subject)))
    return subject.object
  const key = `mutation.webhook.admission.${world.tree.platform.api}/round_${round.again ? 1 : 0}_index_${index}`
  let object = subject.object
  try {
    object = await called(row, hook, asked, subject)
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    if (!hook.ignoreFailure) throw failedClosed(error)
    voice.annotate(`failed-open.${key}`, webhook)
    calls.passOver(hook, error)
    return object
  } finally {
    const mutated = object !== subject.object
    voice.annotate(key, JSON.stringify({ configuration, webhook, mutated }))
  }
  if (object !== subject.object) {
    makeDue(memory)
    round.askForAnother()
  }
  if (hook.reinvoked) memory.called.add(hook.id)
  return object
}

async function called(
  { world, calls, voice }: Row,
  hook: Hook,
  asked: AnyKind,
  subject: Subject,
): Promise<ApiObject | undefined> {
  const shown = shownAs(world, asked, subject)
  const answer = await calls.ask(hook, subject, shown)
  for (const [key, text] of answer.annotations) voice.annotate(`${hook.name}/${key}`, text)
  for (const text of answer.warnings) voice.warn(text)
  if (!answer.allowed) throw denied(hook.name, answer.status)
  return patched(world, hook, subject, shown, answer)
}
