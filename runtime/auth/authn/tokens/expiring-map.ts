import type { Clock } from '../../../kernel/async/clock.ts'

interface Entry<V> {
  readonly value: V
  /** By the monotonic clock. */
  readonly until: number
}

/** Values that are forgotten after a time, the oldest first where there are too many. */
export class ExpiringMap<V> {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #most: number
  readonly #entries = new Map<string, Entry<V>>()

  constructor(clock: Pick<Clock, 'monotonic'>, most = 16_384) {
    this.#clock = clock
    this.#most = most
  }

  /** The value of a key; undefined once its time is over. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.until > this.#clock.monotonic()) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /** Keeps a value for some milliseconds. */
  set(key: string, value: V, ms: number): void {
    if (!(ms > 0)) return
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: this.#clock.monotonic() + ms })
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  clear(): void {
    this.#entries.clear()
  }
}
