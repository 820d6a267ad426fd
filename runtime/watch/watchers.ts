/**
 * Fan-out: from one event to the watchers of its key.
 *
 * Watchers are found by the watched prefixes of the event's key, so that an event costs its own watchers and nothing else.
 * Filling a watcher's feed is cheap and happens at once, in revision order; waking its reader is not, and happens
 * later, some watchers per turn of the event loop, so that the writer's answer never waits for it. What comes meanwhile
 * reaches the reader in one batch.
 */
import { onAbort } from '../kernel/async/abort-signal.ts'
import { Feed, type Revision, StoreError, type StoreEvent } from '../store/store.ts'
import { eventBytes } from './event-history.ts'

/** About four milliseconds of writes to sockets: more turns cost more than they give others. */
const wakesPerTurn = 250

/** One watch and what it was not sent yet. */
interface Watcher {
  /** It gets the events after this revision. */
  readonly after: Revision
  readonly feed: Feed<StoreEvent>
}

/** The watches of one cache. */
export class Watchers {
  readonly #byPrefix = new Map<string, Set<Watcher>>()
  /** How many watched prefixes have each length. */
  readonly #lengths = new Map<number, number>()
  readonly #maxBacklogBytes: number
  readonly #filled = new Set<Feed<StoreEvent>>()
  #scheduled = false

  constructor(maxBacklogBytes: number) {
    this.#maxBacklogBytes = maxBacklogBytes
  }

  /** A feed of events after `after` that begins with those in `replay`, which do not count as backlog. */
  add(
    prefix: string,
    after: Revision,
    replay: Iterable<StoreEvent>,
    signal: AbortSignal,
  ): Feed<StoreEvent> {
    let forget = () => {}
    const feed = new Feed<StoreEvent>(() => {
      forget()
      this.#remove(prefix, watcher)
    })
    const watcher: Watcher = { after, feed }
    for (const event of replay) feed.push(event)
    this.#insert(prefix, watcher)
    forget = onAbort(signal, () => void feed.return())
    if (signal.aborted) void feed.return()
    return feed
  }

  /** Hands events to the watchers of their keys, and wakes their readers in later turns of the event loop. */
  publish(events: readonly StoreEvent[]): void {
    for (const event of events) {
      for (const length of this.#lengths.keys()) {
        if (length > event.key.length) continue
        const watchers = this.#byPrefix.get(event.key.slice(0, length))
        if (watchers !== undefined) this.#fill(watchers, event)
      }
    }
    if (this.#filled.size > 0) this.#schedule()
  }

  /** Ends every watch, with the error if there is one. */
  end(error?: unknown): void {
    for (const watchers of [...this.#byPrefix.values()]) {
      for (const { feed } of [...watchers]) feed.end(error)
    }
  }

  /** Puts an event into the feeds of some watchers. One that has too much unread fails. */
  #fill(watchers: ReadonlySet<Watcher>, event: StoreEvent): void {
    const weight = eventBytes(event)
    for (const watcher of watchers) {
      const { after, feed } = watcher
      if (event.revision <= after) continue
      feed.push(event, weight)
      if (feed.readerWaiting) this.#filled.add(feed)
      else if (feed.weight > this.#maxBacklogBytes) feed.end(tooSlow(event))
    }
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#wake())
  }

  /** Wakes some readers, and the others in a later turn. */
  #wake(): void {
    this.#scheduled = false
    let left = wakesPerTurn
    for (const feed of this.#filled) {
      if (left-- === 0) break
      this.#filled.delete(feed)
      feed.wake()
    }
    if (this.#filled.size > 0) this.#schedule()
  }

  #insert(prefix: string, watcher: Watcher): void {
    const known = this.#byPrefix.get(prefix)
    if (known !== undefined) {
      known.add(watcher)
      return
    }
    this.#byPrefix.set(prefix, new Set([watcher]))
    this.#lengths.set(prefix.length, (this.#lengths.get(prefix.length) ?? 0) + 1)
  }

  #remove(prefix: string, watcher: Watcher): void {
    this.#filled.delete(watcher.feed)
    const watchers = this.#byPrefix.get(prefix)
    if (!watchers?.delete(watcher) || watchers.size > 0) return
    this.#byPrefix.delete(prefix)
    const others = (this.#lengths.get(prefix.length) ?? 1) - 1
    if (others > 0) this.#lengths.set(prefix.length, others)
    else this.#lengths.delete(prefix.length)
  }
}

function tooSlow(event: StoreEvent): StoreError {
  return new StoreError('Expired', `the watch fell too far behind at revision ${event.revision}`)
}
