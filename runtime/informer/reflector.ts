import {
  isNotServed,
  type List,
  type Resource,
  type Selection,
  type WatchEvent,
} from '../client/client.ts'
import { type Clock, pause, type Random } from '../kernel/async/clock.ts'
import { isStatus, type StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import { type InformerState, type InformerStep, nextState, retryDelayMs } from './informer-state.ts'

/** What a reflector tells of: whole collections and single changes, in the order of the server. */
export interface ReflectorTarget<T extends ApiObject> {
  /** The whole collection as of one revision. */
  replace(list: List<T>): void
  /** One change, or how far the stream has come. */
  apply(event: WatchEvent<T>): void
}

/** What a reflector follows, and whom it tells. */
export interface ReflectorOptions<T extends ApiObject> {
  readonly resource: Resource<T>
  readonly selection: Selection
  /** What is kept of an object, and told. */
  readonly transform: (object: Stored<T>) => Stored<T>
  readonly target: ReflectorTarget<T>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Hears of a list that fails as the next one will: the kind is not served, or not to this user. */
  readonly onRefused?: (error: StatusError) => void
}

/** How long after its own timeout a stream counts as lost without a word. */
const graceSeconds = 30

/**
 * Follows a collection by list and watch. It lists, then watches from the list's revision; a stream that ends or breaks
 * is resumed from the last revision seen, and when the server no longer has that one, it lists again.
 */
export class Reflector<T extends ApiObject> {
  readonly #options: ReflectorOptions<T>
  #state: InformerState = { at: 'empty', failures: 0, forgotten: 0 }

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
  }

  get state(): InformerState['at'] {
    return this.#state.at
  }

  /** Follows until `signal` aborts. What fails is logged and tried again, later each time. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options
    while (!signal.aborted) {
      await pause(clock, retryDelayMs(this.#state, random), signal)
      if (signal.aborted) return
      const state = this.#state
      if (state.at === 'watching') await this.#watch(state.revision, signal)
      else await this.#list(signal)
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { resource, selection, transform, target } = this.#options
    this.#step({ is: 'began' })
    try {
      const list = await resource.listAll({ ...selection, transform }, signal)
      target.replace(list)
      this.#step({ is: 'listed', revision: list.resourceVersion })
    } catch (error) {
      if (signal.aborted) return
      this.#step({ is: 'failed', error })
      if (isRefusal(error)) this.#options.onRefused?.(error)
    }
  }

  /** Watches for five to ten minutes, so that the streams of many programs do not all end at the same time. */
  async #watch(revision: string, signal: AbortSignal): Promise<void> {
    const { resource, selection, transform, target, clock, random } = this.#options
    const timeoutSeconds = Math.round(300 * (1 + random()))
    const deadline = new AbortController()
    const cancel = clock.after((timeoutSeconds + graceSeconds) * 1000, () => deadline.abort())
    const options = { ...selection, resourceVersion: revision, bookmarks: true, timeoutSeconds }
    const either = AbortSignal.any([signal, deadline.signal])
    try {
      for await (const { type, object } of resource.watch(options, either)) {
        target.apply({ type, object: type === 'BOOKMARK' ? object : transform(object) })
        this.#step({ is: 'saw', revision: object.metadata.resourceVersion })
      }
      this.#step({ is: 'ended' })
    } catch (error) {
      this.#step({ is: 'failed', error })
    } finally {
      cancel()
    }
  }

  #step(step: InformerStep): void {
    const { resource, log } = this.#options
    this.#state = nextState(this.#state, step)
    if (step.is !== 'failed') return
    const { at, failures } = this.#state
    const cause = step.error instanceof Error ? step.error.message : String(step.error)
    log.warn('informer failed', { kind: resource.kind.kind, state: at, failures, cause })
  }
}

/** True for a failure that time alone does not mend. */
function isRefusal(error: unknown): error is StatusError {
  return isStatus(error, 'Forbidden') || isStatus(error, 'Unauthorized') || isNotServed(error)
}
