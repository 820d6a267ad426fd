import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'

/** Hears of changes after the cache has them. `initial` is true for what the first list found. */
export interface ResourceEventHandler<T extends ApiObject> {
  added?(object: Stored<T>, initial: boolean): void
  updated?(object: Stored<T>, before: Stored<T>): void
  /** `object` is the last state that was seen. */
  deleted?(object: Stored<T>): void
}

/** The handlers of one informer. One that throws is logged and does not keep others from hearing. */
export class Handlers<T extends ApiObject> implements Required<ResourceEventHandler<T>> {
  readonly #kind: string
  readonly #log: Log
  readonly #handlers = new Set<ResourceEventHandler<T>>()

  constructor(kind: string, log: Log) {
    this.#kind = kind
    this.#log = log
  }

  /** Adds a handler, which first hears of `present`. The returned function takes it off again. */
  add(
    handler: ResourceEventHandler<T>,
    present: readonly Stored<T>[],
    initial: boolean,
  ): () => void {
    for (const object of present) this.#guard(() => handler.added?.(object, initial))
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  added(object: Stored<T>, initial: boolean): void {
    for (const handler of this.#handlers) this.#guard(() => handler.added?.(object, initial))
  }

  updated(object: Stored<T>, before: Stored<T>): void {
    for (const handler of this.#handlers) this.#guard(() => handler.updated?.(object, before))
  }

  deleted(object: Stored<T>): void {
    for (const handler of this.#handlers) this.#guard(() => handler.deleted?.(object))
  }

  #guard(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#log.error('informer handler threw', { kind: this.#kind }, error)
    }
  }
}
