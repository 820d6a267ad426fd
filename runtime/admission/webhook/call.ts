/** Asking one webhook about one request. */
import type { Json } from '../../kernel/json.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import { StatusError } from '../../kernel/status.ts'
import { Stopped, Webhooks } from '../../webhook/webhook.ts'
import type { Subject } from '../attempt.ts'
import { type AdmissionMeters, admissionMeters, type Step } from '../meters.ts'
import type { World } from '../world.ts'
import { CallFailure, noDryRun } from './failure.ts'
import type { Hook } from './hook.ts'
import { type Answer, answerOf, reviewOf, reviewVersion } from './review.ts'

/** A request as a webhook sees it. */
export interface Shown {
  readonly asked: AnyKind
  readonly kind: AnyKind
  readonly object?: ApiObject
  readonly old?: ApiObject
}

/** The request in the version that the webhook registered for. */
export function shownAs({ convert }: World, asked: AnyKind, subject: Subject): Shown {
  const { resource, kind, object, old } = subject
  const same = asked === resource || kind !== resource
  const seen = (one: ApiObject) => (same ? one : convert(one, kind, asked))
  return {
    asked,
    kind: same ? kind : asked,
    ...(object && { object: seen(object) }),
    ...(old && { old: seen(old) }),
  }
}

/** Asks the webhooks of a server, over connections of its own. */
export class WebhookCalls {
  readonly #world: World
  readonly #step: Step
  readonly #meters: AdmissionMeters
  readonly #webhooks: Webhooks

  constructor(world: World, step: Step) {
    this.#world = world
    this.#step = step
    this.#meters = admissionMeters(world.metrics)
    this.#webhooks = new Webhooks(world.clock, world.resolve)
  }

  /**
   * What the webhook says. Fails with a CallFailure if it says nothing that can be understood; as unavailable, whatever
   * the webhook's policy, when the server stops before it has answered.
   */
  async ask(hook: Hook, subject: Subject, shown: Shown): Promise<Answer> {
    if (subject.dryRun && !hook.harmless) throw noDryRun(hook.name)
    const { clock } = this.#world
    const timed = this.#meters.webhook(hook.name, this.#step, subject.operation)
    const began = clock.now()
    try {
      const answer = await this.#ask(hook, subject, shown)
      timed(clock.now() - began, !answer.allowed)
      return answer
    } catch (error) {
      timed(clock.now() - began, !(error instanceof CallFailure && hook.ignoreFailure))
      throw error
    }
  }

  /** Counts and logs a failure that the webhook's policy passes over. */
  passOver({ name }: Hook, { message: why }: CallFailure): void {
    this.#meters.failedOpen(name, this.#step)
    this.#world.log.warn('webhook failed and is ignored', { webhook: name, why })
  }

  close(): void {
    this.#webhooks.close()
  }

  async #ask(hook: Hook, subject: Subject, shown: Shown): Promise<Answer> {
    const { platform } = this.#world.tree
    const version = reviewVersion(hook.versions)
    if (version === undefined) {
      const why =
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)'
      throw new CallFailure(hook.name, why)
    }
    const question = { ...shown, uid: this.#world.uid(), version }
    const review = await this.#post(hook, reviewOf(platform, subject, question))
    const answer = answerOf(platform, review, question, this.#step === 'admit')
    if (typeof answer === 'string') throw new CallFailure(hook.name, answer)
    return answer
  }

  async #post({ name, client, timeoutSeconds }: Hook, review: object): Promise<Json> {
    try {
      return await this.#webhooks.ask(client, review, timeoutSeconds)
    } catch (error) {
      if (error instanceof Stopped) {
        throw new StatusError('ServiceUnavailable', error.message, { cause: error })
      }
      const why = error instanceof Error ? error.message : String(error)
      throw new CallFailure(name, `failed to call webhook: ${why}`)
    }
  }
}
