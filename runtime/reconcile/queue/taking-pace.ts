import type { Clock } from '../../kernel/async/clock.ts'
import { createTokenBucket, type Rate } from '../../kernel/async/token-bucket.ts'

/** How often keys may be taken from a queue. */
export interface TakingPaceOptions {
  readonly rate?: Rate
  readonly minIntervalMs?: number
}

/** So many times as long as a key waited for its taker it rests before it is taken again, but no longer than `longestRestMs`. */
const restsPerWait = 4
const longestRestMs = 3000

/**
 * Says when a key may be taken: not too many in a time, and none too soon after its last time. Where takers are few, keys that come again and again rest instead of
 * standing in the queue: they are taken no less often, and one that comes anew waits for few others.
 */
export interface TakingPace {
  /** Milliseconds until a key may stand in the queue; 0 if it may now. */
  earlyMs(key: string): number
  /** Whether a key may be taken now. If not, `onFree` is called when one may. */
  mayTake(): boolean
  /** A key was taken that had stood in the queue for so long. */
  taken(key: string, waitedMs: number): void
  close(): void
}

/** The pace that options ask for; undefined if they ask for none. */
export function takingPace(
  { rate, minIntervalMs = 0 }: TakingPaceOptions,
  clock: Clock,
  onFree: () => void,
): TakingPace | undefined {
  return rate === undefined && minIntervalMs === 0
    ? undefined
    : new Pace(rate, minIntervalMs, clock, onFree)
}

class Pace implements TakingPace {
  readonly #waitMs: (() => number) | undefined
  readonly #minIntervalMs: number
  readonly #clock: Clock
  readonly #onFree: () => void
  /** Until when each key rests, in the order in which they were taken; only those that count still. */
  readonly #rests = new Map<string, number>()
  /** A turn that was waited for and not used yet. */
  #saved = false
  #cancel: (() => void) | undefined

  constructor(rate: Rate | undefined, minIntervalMs: number, clock: Clock, onFree: () => void) {
    this.#waitMs = rate && createTokenBucket(rate, clock)
    this.#minIntervalMs = minIntervalMs
    this.#clock = clock
    this.#onFree = onFree
  }

  earlyMs(key: string): number {
    const until = this.#rests.get(key)
    return until === undefined ? 0 : until - this.#clock.monotonic()
  }

  mayTake(): boolean {
    if (this.#waitMs === undefined || this.#saved) return true
    if (this.#cancel !== undefined) return false
    const ms = this.#waitMs()
    this.#saved = ms === 0
    if (ms > 0) this.#cancel = this.#clock.after(ms, () => this.#free())
    return this.#saved
  }

  taken(key: string, waitedMs: number): void {
    this.#saved = false
    if (this.#minIntervalMs === 0) return
    const now = this.#clock.monotonic()
    const restMs = Math.max(this.#minIntervalMs, Math.min(restsPerWait * waitedMs, longestRestMs))
    this.#rests.delete(key)
    this.#rests.set(key, now + restMs)
    for (const [earlier, until] of this.#rests) {
      if (until > now) break
      this.#rests.delete(earlier)
    }
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #free(): void {
    this.#cancel = undefined
    this.#saved = true
    this.#onFree()
  }
}
