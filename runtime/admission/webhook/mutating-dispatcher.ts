import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Attributes, Recorder } from '../chain/attributes.ts'
import type { ReinvocationContext } from '../chain/plugin.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import type { Webhook } from './configurations.ts'
import { denialError, failClosedError, WebhookCallError } from './errors.ts'
import { matchConditionsHold } from './match-conditions.ts'
import { matchingVersion } from './match-rules.ts'
import { applyWebhookPatch } from './patch.ts'
import { ReviewClient, versionAttributes } from './review-client.ts'

/** What the first round leaves for the second. */
interface ReinvocationState {
  /** Webhooks that were called and want to be called again if something changes after them. */
  readonly called: Set<string>
  /** Those of them after which something did change. */
  readonly toReinvoke: Set<string>
  last?: ApiObject
}

/** One way of a request past the webhooks. */
interface Dispatch {
  readonly world: PluginContext
  readonly calls: ReviewClient
  readonly voice: Recorder
  readonly round: ReinvocationContext
  readonly memory: ReinvocationState
}

/** Calls webhooks that change objects. */
export class MutatingDispatcher {
  readonly #world: PluginContext
  readonly #calls: ReviewClient
  readonly #key = Symbol('mutating webhooks')

  constructor(world: PluginContext) {
    this.#world = world
    this.#calls = new ReviewClient(world, 'admit')
  }

  /** The object as the webhooks leave it: each sees what the ones before it left (supplement Q-08). */
  mutate(
    hooks: readonly Webhook[],
    subject: Attributes,
    voice: Recorder,
    round: ReinvocationContext,
  ): Promise<ApiObject | undefined> {
    const memory =
      (round.values.get(this.#key) as ReinvocationState | undefined) ?? newReinvocationState()
    round.values.set(this.#key, memory)
    if (round.isReinvoke && !deepEqual(memory.last, subject.object)) markForReinvocation(memory)
    const row = { world: this.#world, calls: this.#calls, voice, round, memory }
    return callInOrder(row, hooks, subject)
  }

  close(): void {
    this.#calls.close()
  }
}

async function callInOrder(
  row: Dispatch,
  hooks: readonly Webhook[],
  subject: Attributes,
): Promise<ApiObject | undefined> {
  const { round, memory } = row
  let object = subject.object
  for (const [index, hook] of hooks.entries()) {
    if (round.isReinvoke && !memory.toReinvoke.has(hook.id)) continue
    const current = { ...subject, ...(object && { object }) }
    object = await dispatchTo(row, hook, index, current)
  }
  if (object !== undefined) memory.last = object
  return object
}

function newReinvocationState(): ReinvocationState {
  return { called: new Set(), toReinvoke: new Set() }
}

function markForReinvocation({ called, toReinvoke: due }: ReinvocationState): void {
  for (const id of called) due.add(id)
  called.clear()
}

/** The object as one webhook leaves it: the very same one if it is not called, changes nothing, or fails and may. */
async function dispatchTo(
  row: Dispatch,
  hook: Webhook,
  index: number,
  subject: Attributes,
): Promise<ApiObject | undefined> {
  const { world, calls, voice, round, memory } = row
  const { configuration, name: webhook } = hook
  const asked = await matchingVersion(world, hook, subject)
  if (asked === undefined || !(await matchConditionsHold(world, hook, asked, subject)))
    return subject.object
  const key = `mutation.webhook.admission.${world.scheme.platform.api}/round_${round.isReinvoke ? 1 : 0}_index_${index}`
  let object = subject.object
  try {
    object = await callWebhook(row, hook, asked, subject)
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error
    if (!hook.ignoreFailure) throw failClosedError(error)
    voice.annotate(`failed-open.${key}`, webhook)
    calls.recordFailOpen(hook, error)
    return object
  } finally {
    const mutated = object !== subject.object
    voice.annotate(key, JSON.stringify({ configuration, webhook, mutated }))
  }
  if (object !== subject.object) {
    markForReinvocation(memory)
    round.setShouldReinvoke()
  }
  if (hook.reinvokeIfNeeded) memory.called.add(hook.id)
  return object
}

async function callWebhook(
  { world, calls, voice }: Dispatch,
  hook: Webhook,
  asked: AnyKind,
  subject: Attributes,
): Promise<ApiObject | undefined> {
  const shown = await versionAttributes(world, asked, subject)
  const answer = await calls.review(hook, subject, shown)
  for (const [key, text] of answer.annotations) voice.annotate(`${hook.name}/${key}`, text)
  for (const text of answer.warnings) voice.warn(text)
  if (!answer.allowed) throw denialError(hook.name, answer.status)
  return applyWebhookPatch(world, hook, subject, shown, answer)
}
