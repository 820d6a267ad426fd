import type { Clock } from '../../kernel/async/clock.ts'
import { createTokenBucket, type Rate } from '../../kernel/async/token-bucket.ts'

/** How often keys may be taken from a queue. */
export interface TakingPaceOptions {
  readonly rate?: Rate
  readonly minIntervalMs?: number
  readonly burst?: number
}

/** So many times as long as a key waited for its taker it rests before it is taken again, but no longer than `longestRestMs`. */
const restsPerWait = 4
const longestRestMs = 3000

/** A key that waited longer for its taker has to do with takers that are few: its burst does not count. */
const promptMs = 10

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
  { rate, minIntervalMs = 0, burst = 1 }: TakingPaceOptions,
  clock: Clock,
  onFree: () => void,
): TakingPace | undefined {
  return rate === undefined && minIntervalMs === 0
    ? undefined
    : new Pace(rate, { minIntervalMs, burst }, clock, onFree)
}

/** How often one key may be taken. */
type Intervals = Required<Pick<TakingPaceOptions, 'minIntervalMs' | 'burst'>>

/** When a key may be taken again. */
interface Rest {
  readonly until: number
  /** When so many intervals have passed as the key was taken times: what counts of its burst is how far that is ahead. */
  readonly paidAt: number
}

class Pace implements TakingPace {
  readonly #waitMs: (() => number) | undefined
  readonly #intervals: Intervals
  readonly #clock: Clock
  readonly #onFree: () => void
  /** In the order in which the keys were taken; only those that count still. */
  readonly #rests = new Map<string, Rest>()
  /** A turn that was waited for and not used yet. */
  #saved = false
  #cancel: (() => void) | undefined

  constructor(rate: Rate | undefined, intervals: Intervals, clock: Clock, onFree: () => void) {
    this.#waitMs = rate && createTokenBucket(rate, clock)
    this.#intervals = intervals
    this.#clock = clock
    this.#onFree = onFree
  }

  earlyMs(key: string): number {
    const rest = this.#rests.get(key)
    return rest === undefined ? 0 : rest.until - this.#clock.monotonic()
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
    const { minIntervalMs, burst } = this.#intervals
    if (minIntervalMs === 0) return
    const now = this.#clock.monotonic()
    const waits = Math.min(restsPerWait * waitedMs, longestRestMs)
    const restMs = waitedMs > promptMs ? Math.max(waits, minIntervalMs) : waits
    const paidAt = Math.max(now, this.#rests.get(key)?.paidAt ?? 0) + minIntervalMs
    const until = Math.max(now + restMs, paidAt - (burst - 1) * minIntervalMs)
    this.#rests.delete(key)
    this.#rests.set(key, { until, paidAt })
    for (const [earlier, rest] of this.#rests) {
      if (Math.max(rest.until, rest.paidAt) > now) break
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
