import { applyJsonPatch, parseJsonPatch } from '../../apply/apply.ts'
import { decodeJson, encode, parse, readObject } from '../../codec/codec.ts'
import { equal } from '../../kernel/equal.ts'
import type { ApiObject } from '../../kernel/object.ts'
import { isStatus } from '../../kernel/status.ts'
import type { Subject, Voice } from '../attempt.ts'
import type { PluginFactory, Round } from '../plugin.ts'
import { internal } from '../refusal.ts'
import type { World } from '../world.ts'
import { Caller, type Shown, shownAs } from './call.ts'
import { conditionsHold } from './conditions.ts'
import { CallFailure, denied, failedClosed } from './failure.ts'
import { type Hook, hooksOf } from './hook.ts'
import { isExempt, versionFor } from './match.ts'
import type { Answer } from './review.ts'

/** What the first round leaves for the second. */
interface Memory {
  /** Webhooks that were called and want to be called again if something changes after them. */
  readonly called: Set<string>
  /** Those of them after which something did change. */
  readonly due: Set<string>
  last?: ApiObject
}

/** Webhooks that change objects, one after the other: each sees what the ones before it left (supplement Q-08). */
export const mutatingWebhooks: PluginFactory = (world) => {
  const caller = new Caller(world)
  const key = Symbol('mutating webhooks')
  return {
    handles: (place) => !isExempt(place, world.tree),
    async mutate(subject, voice, round) {
      const hooks = hooksOf(world, 'mutatingwebhookconfigurations')
      if (hooks.length === 0) return subject.object
      const memory = (round.memory.get(key) as Memory | undefined) ?? fresh()
      round.memory.set(key, memory)
      if (round.again && !equal(memory.last, subject.object)) makeDue(memory)
      let object = subject.object
      for (const [index, hook] of hooks.entries()) {
        if (round.again && !memory.due.has(hook.id)) continue
        const { object: _, ...rest } = subject
        const current = { ...rest, ...(object && { object }) }
        object = await called(world, caller, { hook, index }, current, voice, round, memory)
      }
      if (object !== undefined) memory.last = object
      return object
    },
    close: () => caller.close(),
  }
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
    const answer = await caller.ask(hook, subject, shown, true)
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
    world.log.warn('webhook failed and is ignored', { webhook: hook.name, why: error.message })
    return subject.object
  }
}

/** The object as the webhook's patch leaves it, in the version of the request; the very same one if nothing differs. */
function patched(
  world: World,
  hook: Hook,
  { kind: own, object }: Subject,
  { kind, object: shown }: Shown,
  { patch, patchType }: Answer,
): ApiObject | undefined {
  if (patch.length === 0) return object
  if (patchType !== 'JSONPatch') {
    throw new CallFailure(hook.name, `unsupported patch type "${patchType}"`)
  }
  const operations = attempted(() => parseJsonPatch(decodeJson(patch).value))
  if (operations.length === 0) return object
  if (object === undefined || shown === undefined) {
    throw internal(
      `admission webhook "${hook.name}" attempted to modify the object, which is not supported for this operation`,
    )
  }
  const before = parse(encode(shown))
  const after = attempted(() => {
    const { object: read, report } = readObject(kind, applyJsonPatch(before, operations))
    const [wrong] = report.types
    if (wrong !== undefined) throw new Error(`${wrong.path}: ${wrong.message}`)
    return read
  })
  if (equal(after, before)) return object
  return kind === own ? after : world.convert(after, kind, own)
}

/** A patch that does not apply is the webhook's mistake, not the caller's. */
function attempted<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isStatus(error, 'RequestEntityTooLarge')) throw error
    throw internal(error instanceof Error ? error.message : String(error), error)
  }
}
