import type { Key } from '../../client/client.ts'
import type { EventSource } from '../../reconcile/reconcile.ts'

/** Some dependents of an owner, which are looked at together. */
export interface Turn {
  readonly keys: readonly Key[]
  /** True if others are left. Not called, the same keys are left for the next turn. */
  over(): boolean
}

/**
 * The dependents of owners that are gone or wait for them, as far as they are still to be looked at. Owners take turns, each for its share of
 * what is done at a time: few dependents do not wait for the many of another owner.
 */
export class PendingDependents {
  readonly #width: number
  /** By the uid of the owner. */
  readonly #left = new Map<string, readonly Key[]>()

  /** At most `width` dependents are looked at at a time, and one of each owner. */
  constructor(width: number) {
    this.#width = width
  }

  /** All dependents of the owner are to be looked at, once more if they were. */
  renew(uid: string): void {
    this.#left.delete(uid)
  }

  /** The next dependents of the owner; `all` says which there are where none were counted yet. */
  next(uid: string, all: () => readonly Key[]): Turn {
    const left = this.#left.get(uid) ?? all()
    this.#left.set(uid, left)
    const share = Math.max(1, Math.floor(this.#width / this.#left.size))
    return {
      keys: left.slice(0, share),
      over: () => {
        if (this.#left.get(uid) !== left) return true
        const rest = left.slice(share)
        if (rest.length > 0) this.#left.set(uid, rest)
        else this.#left.delete(uid)
        return rest.length > 0
      },
    }
  }
}

/** Keys that a controller wakes itself. They are kept while it does not work. */
export class OwnKeys {
  #keys: Key[] = []
  #wake = (): void => {}

  add(key: Key): void {
    this.#keys.push(key)
    this.#wake()
  }

  readonly source: EventSource = (context) => this.#follow(context.signal)

  async *#follow(signal: AbortSignal): AsyncGenerator<readonly Key[], void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true })
    while (!signal.aborted) {
      const keys = this.#keys
      this.#keys = []
      if (keys.length > 0) yield keys
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
