import { equal } from '../../kernel/equal.ts'
import type { ApiObject } from '../../kernel/object.ts'
import type { Subject, Voice } from '../attempt.ts'
import type { Round } from '../plugin.ts'
import type { World } from '../world.ts'
import { Caller, shownAs } from './call.ts'
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

/** Calls webhooks that change objects. */
export class MutatingCalls {
  readonly #world: World
  readonly #caller: Caller
  readonly #key = Symbol('mutating webhooks')

  constructor(world: World) {
    this.#world = world
    this.#caller = new Caller(world, 'admit')
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
    return inTurn(this.#world, this.#caller, hooks, subject, voice, round, memory)
  }

  close(): void {
    this.#caller.close()
  }
}

async function inTurn(
  world: World,
  caller: Caller,
  hooks: readonly Hook[],
  subject: Subject,
  voice: Voice,
  round: Round,
  memory: Memory,
): Promise<ApiObject | undefined> {
  let object = subject.object
  for (const [index, hook] of hooks.entries()) {
    if (round.again && !memory.due.has(hook.id)) continue
    const current = { ...subject, ...(object && { object }) }
    object = await called(world, caller, { hook, index }, current, voice, round, memory)
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

async function called(
  world: World,
  caller: Caller,
  { hook, index }: { readonly hook: Hook; readonly index: number },
  subject: Subject,
  voice: Voice,
  round: Round,
  memory: Memory,
): Promise<ApiObject | undefined> {
  const { api } = world.tree.platform
  const place = `round_${round.again ? 1 : 0}_index_${index}`
  try {
    const asked = await versionFor(world, hook, subject)
    if (asked === undefined) return subject.object
    if (!(await conditionsHold(world, hook, asked, subject))) return subject.object
    const shown = shownAs(world, asked, subject)
    const answer = await caller.ask(hook, subject, shown)
    for (const [key, text] of answer.annotations) voice.annotate(`${hook.name}/${key}`, text)
    for (const text of answer.warnings) voice.warn(text)
    if (!answer.allowed) throw denied(hook.name, answer.status)
    const object = patched(world, hook, subject, shown, answer)
    const mutated = object !== subject.object
    const { configuration, name: webhook } = hook
    voice.annotate(
      `mutation.webhook.admission.${api}/${place}`,
      JSON.stringify({ configuration, webhook, mutated }),
    )
    if (mutated) {
      makeDue(memory)
      round.askForAnother()
    }
    if (hook.reinvoked) memory.called.add(hook.id)
    return object
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    if (!hook.ignoreFailure) throw failedClosed(error)
    voice.annotate(`failed-open.mutation.webhook.admission.${api}/${place}`, hook.name)
    caller.passOver(hook, error)
    return subject.object
  }
}
