import { onAbort } from '../../kernel/async/abort-signal.ts'
import { Feed } from '../feed.ts'
import type { Change } from '../log-store.ts'

/** Most bytes that a subscriber may leave unread in memory; beyond, it reads them from the log. */
const maxUnreadBytes = 32 * 1024 * 1024

/** Readers of the log that have caught up with it. */
export class LogSubscribers {
  readonly #feeds = new Set<Feed<Change>>()

  /** What is published from now on, until the signal aborts or the reader falls too far behind. */
  add(signal: AbortSignal): Feed<Change> {
    let forget = () => {}
    const feed: Feed<Change> = new Feed(() => {
      this.#feeds.delete(feed)
      forget()
    })
    this.#feeds.add(feed)
    forget = onAbort(signal, () => void feed.return())
    return feed
  }

  /** Hands committed changes to every subscriber. */
  publish(changes: readonly Change[]): void {
    for (const feed of this.#feeds) {
      for (const change of changes) feed.push(change, change.value?.byteLength ?? 0)
      feed.wake()
      if (feed.weight > maxUnreadBytes) void feed.return()
    }
  }

  /** Ends every feed, after what waits in it. */
  end(): void {
    for (const feed of this.#feeds) feed.end()
  }
}
