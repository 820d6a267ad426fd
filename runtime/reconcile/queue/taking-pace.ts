import type { Clock } from '../../kernel/async/clock.ts'
import { createTokenBucket, type Rate } from '../../kernel/async/token-bucket.ts'

/** How often keys may be taken from a queue. */
export interface TakingPaceOptions {
  readonly rate?: Rate
  readonly minIntervalMs?: number
}

/** Says when a key may be taken: not too many in a time, and none too soon after its last time. */
export interface TakingPace {
  /** Milliseconds until a key may stand in the queue; 0 if it may now. */
  earlyMs(key: string): number
  /** Whether a key may be taken now. If not, `onFree` is called when one may. */
  mayTake(): boolean
  taken(key: string): void
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
  /** When each key was taken last, the earliest first; only those that count still. */
  readonly #last = new Map<string, number>()
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
    const last = this.#last.get(key)
    return last === undefined ? 0 : last + this.#minIntervalMs - this.#clock.monotonic()
  }

  mayTake(): boolean {
    if (this.#waitMs === undefined || this.#saved) return true
    if (this.#cancel !== undefined) return false
    const ms = this.#waitMs()
    this.#saved = ms === 0
    if (ms > 0) this.#cancel = this.#clock.after(ms, () => this.#free())
    return this.#saved
  }

  taken(key: string): void {
    this.#saved = false
    if (this.#minIntervalMs === 0) return
    const now = this.#clock.monotonic()
    this.#last.delete(key)
    this.#last.set(key, now)
    for (const [earlier, at] of this.#last) {
      if (at + this.#minIntervalMs > now) break
      this.#last.delete(earlier)
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
