import type { Clock } from '../kernel/async/clock.ts'
import type { Revision, Store } from './contract.ts'
import type { StoreOptions } from './driver.ts'
import type { Change } from './log-store.ts'

/** How long history is kept, and how often it is compacted. */
export interface RetentionOptions {
  readonly clock: Clock
  /** Milliseconds that history is kept. */
  readonly retentionMs: number
  /** Bytes of history beyond which it is kept for less. */
  readonly retainedBytes: number
  /** Milliseconds between two passes. */
  readonly intervalMs: number
  /** Hears of a pass that failed; the next one goes on where it stopped. */
  readonly onFailure: (error: unknown) => void
}

/** What the options of a store say of it. */
export function retentionOf({
  clock,
  retentionMs = 300_000,
  retainedBytes = Number.POSITIVE_INFINITY,
  compactionIntervalMs: intervalMs = passInterval(retentionMs),
  onCompactionFailure: onFailure = () => {},
}: StoreOptions): RetentionOptions {
  return { clock, retentionMs, retainedBytes, intervalMs, onFailure }
}

/** A minute, or less where history is kept for minutes only: what is kept too long is a small part of it. */
function passInterval(retentionMs: number): number {
  return Math.min(60_000, Math.max(1000, retentionMs / 5))
}

/** A revision, when it was the latest, and how much had been written by then. */
interface Mark {
  readonly at: number
  readonly revision: Revision
  readonly bytes: number
}

/** What a row of the log takes beside its value. */
const rowBytes = 256

/** Decides how far a store is compacted: to the revision of a while ago, or to a later one where much was written since. */
export class Retention {
  readonly #options: RetentionOptions
  #marks: Mark[] = []
  #bytes = 0
  #due = false
  #wake = (): void => {}

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  /** Counts what was written. A pass begins at once where that is more than a quarter of what may be kept. */
  written(changes: readonly Change[]): void {
    for (const { value } of changes) this.#bytes += rowBytes + (value?.byteLength ?? 0)
    const last = this.#marks.at(-1)
    if (last === undefined || (this.#bytes - last.bytes) * 4 < this.#options.retainedBytes) return
    this.#due = true
    this.#wake()
  }

  /** Compacts until `signal` aborts. */
  async run(store: Pick<Store, 'revision' | 'compact'>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#due = false
      const revision = await store.revision()
      const last = this.#pass({ at: this.#options.clock.now(), revision, bytes: this.#bytes })
      if (last !== undefined) await store.compact(last).catch(this.#options.onFailure)
      await this.#pause(signal)
    }
    this.#marks = []
  }

  /** Notes where the store is, and says how far it is to be compacted. */
  #pass(now: Mark): Revision | undefined {
    const { retentionMs, retainedBytes } = this.#options
    this.#marks.push(now)
    const kept = this.#marks.findIndex(
      ({ at, bytes }) => at > now.at - retentionMs && now.bytes - bytes <= retainedBytes,
    )
    return this.#marks.splice(0, kept < 0 ? this.#marks.length : kept).at(-1)?.revision
  }

  /** Waits for the next pass. */
  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#due) return resolve()
      const finish = (): void => {
        cancel()
        signal.removeEventListener('abort', finish)
        this.#wake = () => {}
        resolve()
      }
      const cancel = this.#options.clock.after(this.#options.intervalMs, finish)
      signal.addEventListener('abort', finish, { once: true })
      this.#wake = finish
    })
  }
}
