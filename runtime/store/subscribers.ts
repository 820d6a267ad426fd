import { onAbort } from '../kernel/async/abort-signal.ts'
import { Feed } from './feed.ts'
import type { Change } from './log-store.ts'

/** Readers of the log that have caught up with it. */
export class LogSubscribers<C extends Change = Change> {
  readonly #feeds = new Set<Feed<C>>()
  readonly #maxUnreadBytes: number

  /** Beyond `maxUnreadBytes` in memory, a subscriber reads on from the log. Default: it never has to. */
  constructor(maxUnreadBytes = Number.POSITIVE_INFINITY) {
    this.#maxUnreadBytes = maxUnreadBytes
  }

  /** What is published from now on, until the signal aborts or the reader falls too far behind. */
  add(signal: AbortSignal): Feed<C> {
    let forget = () => {}
    const feed: Feed<C> = new Feed(() => {
      this.#feeds.delete(feed)
      forget()
    })
    this.#feeds.add(feed)
    forget = onAbort(signal, () => void feed.return())
    return feed
  }

  /** Hands committed changes to every subscriber. */
  publish(changes: readonly C[]): void {
    for (const feed of this.#feeds) {
      for (const change of changes) feed.push(change, change.value?.byteLength ?? 0)
      feed.wake()
      if (feed.weight > this.#maxUnreadBytes) void feed.return()
    }
  }

  /** Ends every feed, after what waits in it. */
  end(): void {
    for (const feed of this.#feeds) feed.end()
  }
}
