import { type Clock, systemClock } from '../../kernel/async/clock.ts'
import { createTokenBucket, type Rate } from '../../kernel/async/token-bucket.ts'
import type { Metrics } from '../../observe/observe.ts'
import type { Change } from '../changes/cause.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import { DelayedKeys } from './delayed-keys.ts'
import { createQueueMetrics, type QueueMetrics } from './queue-metrics.ts'
import { type QueuePriority, ReadyKeys } from './ready-keys.ts'
import { type TakingPace, takingPace } from './taking-pace.ts'

/** How a queue waits and counts. */
export interface QueueOptions {
  readonly clock?: Clock
  readonly backoff?: Backoff
  /** How many retries may begin, over all items. Default 10 a second after a burst of 100. */
  readonly retries?: Rate
  /** How many keys may be taken, over all of them. Default: as many as there are takers for. */
  readonly rate?: Rate
  /** Milliseconds that pass at least between two takings of one key, and up to three seconds where keys wait for takers. Default 0. */
  readonly minIntervalMs?: number
  /**
   * So many times a key may be taken without an interval when it has not come for a while, unless it waited for a taker; each interval
   * that passes gives one back. Default 1.
   */
  readonly burst?: number
  /** Where its keys are counted, and under which name. Default: nowhere. */
  readonly metrics?: Metrics
  readonly name?: string
}

/**
 * A work queue of keys.
 *
 *  1. A key stands in it at most once, and is never given to two takers at a time: added while it is being worked on,
 *     it comes again afterwards.
 *  2. Urgent keys go first; every eighth turn is a routine key's, so that those get through.
 *  3. Of several waits for one key the shortest counts.
 */
export interface Queue {
  /** `change` is what woke the key, for those who watch the queue. */
  add(key: string, priority?: QueuePriority, change?: Change): void
  /** Adds the key when `ms` have passed. */
  addAfter(key: string, ms: number, priority?: QueuePriority): void
  /** Adds the key after a wait that doubles with each retry since the last `forget`. */
  retry(key: string): void
  /** Ends the count of a key's failures. */
  forget(key: string): void
  /** The next key; undefined once `signal` has aborted. The taker calls `finish` when it is through. */
  take(signal: AbortSignal): Promise<string | undefined>
  /** The taker of a key is through: a key that was added meanwhile stands in the queue again. */
  finish(key: string): void
  /** Drops the waits; what stands in the queue stays. */
  close(): void
  /** Keys that could be taken now. */
  readonly depth: number
  /** Keys that wait for their time. */
  readonly delayed: number
  /** Milliseconds that the key has stood in the queue which could be taken for longest; 0 if none could. */
  readonly oldestMs: number
}

type Taker = (key: string | undefined) => void

/** A queue of keys. It holds no timer while nothing waits. */
export function createQueue(options: QueueOptions = {}): Queue {
  return new KeyQueue(options)
}

class KeyQueue implements Queue {
  readonly #ready: ReadyKeys
  readonly #delayed: DelayedKeys
  /** The keys that are being worked on, and the priority of those that were added meanwhile. */
  readonly #taken = new Map<string, QueuePriority | undefined>()
  /** Since when each key could be taken, the earliest first. */
  readonly #since = new Map<string, number>()
  readonly #failures = new Map<string, number>()
  readonly #takers = new Set<Taker>()
  readonly #backoff: Backoff | undefined
  readonly #retryWaitMs: () => number
  readonly #metrics: QueueMetrics | undefined
  readonly #pace: TakingPace | undefined
  /** The keys that wait for routine work. */
  readonly #routine = new Set<string>()
  readonly #clock: Clock
  #cancelServing: (() => void) | undefined

  constructor(options: QueueOptions) {
    const { clock = systemClock, backoff, retries, metrics, name = '' } = options
    this.#clock = clock
    this.#ready = new ReadyKeys(clock.ties)
    this.#backoff = backoff
    this.#pace = takingPace(options, clock, () => this.#serveTakers())
    this.#retryWaitMs = createTokenBucket(retries ?? { perSecond: 10, burst: 100 }, clock)
    this.#delayed = new DelayedKeys(clock, (key) =>
      this.add(key, this.#routine.has(key) ? 'routine' : 'urgent'),
    )
    this.#metrics = metrics && createQueueMetrics(metrics, name, clock, () => this.depth)
  }

  get depth(): number {
    return this.#ready.size
  }

  get delayed(): number {
    return this.#delayed.size
  }

  get oldestMs(): number {
    const [since] = this.#since.values()
    return since === undefined ? 0 : this.#clock.monotonic() - since
  }

  add(key: string, priority: QueuePriority = 'urgent'): void {
    this.#delayed.delete(key)
    this.#routine.delete(key)
    if (this.#taken.has(key)) {
      if (this.#taken.get(key) !== 'urgent') this.#taken.set(key, priority)
      return
    }
    const earlyMs = this.#ready.has(key) ? 0 : (this.#pace?.earlyMs(key) ?? 0)
    if (earlyMs > 0) {
      this.addAfter(key, earlyMs, priority)
      return
    }
    if (!this.#ready.has(key)) {
      this.#since.set(key, this.#clock.monotonic())
      this.#metrics?.added(key)
    }
    this.#ready.push(key, priority)
    this.#serveTakers()
  }

  addAfter(key: string, ms: number, priority: QueuePriority = 'urgent'): void {
    if (ms <= 0) {
      this.add(key, priority)
      return
    }
    if (priority === 'urgent') this.#routine.delete(key)
    else if (!this.#delayed.has(key)) this.#routine.add(key)
    this.#delayed.add(key, ms)
  }

  retry(key: string): void {
    this.#metrics?.retried()
    const count = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, count)
    this.addAfter(key, Math.max(backoffMs(count, this.#backoff), this.#retryWaitMs()))
  }

  forget(key: string): void {
    this.#failures.delete(key)
  }

  take(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined)
    const key = this.#next()
    if (key !== undefined) return Promise.resolve(key)
    return new Promise((resolve) => {
      const leave = () => taker(undefined)
      const taker: Taker = (next) => {
        this.#takers.delete(taker)
        signal.removeEventListener('abort', leave)
        resolve(next)
      }
      this.#takers.add(taker)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  finish(key: string): void {
    const priority = this.#taken.get(key)
    this.#taken.delete(key)
    this.#metrics?.finished(key)
    if (priority !== undefined) this.add(key, priority)
  }

  close(): void {
    this.#cancelServing?.()
    this.#delayed.clear()
    this.#routine.clear()
    this.#pace?.close()
  }

  /** Where ties are decided, whatever is added in the same turn may be the first. */
  #serveTakers(): void {
    if (this.#clock.ties === undefined) this.#serve()
    else {
      this.#cancelServing?.()
      this.#cancelServing = this.#clock.after(0, () => this.#serve())
    }
  }

  #serve(): void {
    for (const taker of this.#takers) {
      const key = this.#next()
      if (key === undefined) return
      taker(key)
    }
  }

  #next(): string | undefined {
    if (this.#ready.size === 0 || this.#pace?.mayTake() === false) return undefined
    const key = this.#ready.shift()
    if (key === undefined) return undefined
    const now = this.#clock.monotonic()
    this.#pace?.taken(key, now - (this.#since.get(key) ?? now))
    this.#since.delete(key)
    this.#taken.set(key, undefined)
    this.#metrics?.taken(key)
    return key
  }
}
