import type { Clock } from '../kernel/async/clock.ts'
import { type Revision, StoreError } from '../store/store.ts'

interface Waiter {
  readonly revision: Revision
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** What waits until the cache has a revision. */
export class RevisionWaiters {
  readonly #clock: Clock
  #waiting = new Set<Waiter>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the revision is reached; fails `Future` after `timeoutMs`, never without it. */
  wait(revision: Revision, timeoutMs?: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel =
        timeoutMs === undefined ? () => {} : this.#clock.after(timeoutMs, () => expire())
      const done = <T extends unknown[]>(then: (...args: T) => void) => {
        return (...args: T) => {
          cancel()
          this.#waiting.delete(waiter)
          then(...args)
        }
      }
      const waiter: Waiter = { revision, resolve: done(resolve), reject: done(reject) }
      const expire = () => waiter.reject(futureError(revision))
      this.#waiting.add(waiter)
    })
  }

  /** Resolves what waits for this revision or an earlier one. */
  reached(revision: Revision): void {
    for (const waiter of this.#waiting) if (waiter.revision <= revision) waiter.resolve()
  }

  /** Fails everything that waits. */
  fail(error: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(error)
  }
}

function futureError(revision: Revision): StoreError {
  return new StoreError('Future', `revision ${revision} is not there yet`)
}
