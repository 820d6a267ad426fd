import type { Entry, LogStore, Revision, StoreEvent } from '../store/store.ts'
import { EventHistory, type EventHistoryLimits } from './event-history.ts'

/** How many revisions of the past are read at most. */
const maxRevisions = 20_000

/** With what the past is read. */
export interface PastReading {
  readonly now: () => number
  /** The entry as readers get it: the very one that the cache has, where it has that version. */
  readonly shared: (entry: Entry) => Entry
}

/**
 * What happened before a cache began to follow its store. It is read from the store's log for the first watch that asks for it, and then kept as the
 * other events are: a start does not wait for it, and where all clients begin with a list it is never read.
 */
export class Past {
  readonly #store: Pick<LogStore, 'watch' | 'compactedRevision'>
  readonly #end: Revision
  readonly #limits: EventHistoryLimits
  #reading: Promise<EventHistory> | undefined
  #read = false

  /** `end`: the revision that the cache began with. */
  constructor(
    store: Pick<LogStore, 'watch' | 'compactedRevision'>,
    end: Revision,
    limits: EventHistoryLimits,
  ) {
    this.#store = store
    this.#end = end
    this.#limits = limits
  }

  /** True if what came after a revision is there and was not read yet. */
  reaches(after: Revision): boolean {
    return !this.#read && after >= this.#start()
  }

  /** The events up to the revision that the cache began with, as many as the limits let it keep: read once for all who ask. */
  read(reading: PastReading, signal: AbortSignal): Promise<EventHistory> {
    this.#reading ??= this.#readEvents(reading, signal).then(
      (history) => {
        this.#read = true
        return history
      },
      (error: unknown) => {
        this.#reading = undefined
        throw error
      },
    )
    return this.#reading
  }

  #start(): Revision {
    return Math.max(this.#store.compactedRevision(), this.#end - maxRevisions)
  }

  async #readEvents({ now, shared }: PastReading, ended: AbortSignal): Promise<EventHistory> {
    const start = this.#start()
    const history = new EventHistory(start, this.#limits)
    const known = new Map<string, Entry>()
    const enough = new AbortController()
    const signal = AbortSignal.any([enough.signal, ended])
    for await (const events of this.#store.watch('', start, signal)) {
      for (const event of events) {
        if (event.revision > this.#end) break
        history.push(sharedEvent(event, known, shared), now())
      }
      history.trim(now())
      if (history.end >= this.#end) break
    }
    enough.abort()
    ended.throwIfAborted()
    return history
  }
}

/** The event with entries that others have, too. `known`: the latest ones of this reading, by key. */
function sharedEvent(
  { revision, key, entry, previous }: StoreEvent,
  known: Map<string, Entry>,
  shared: PastReading['shared'],
): StoreEvent {
  const before = known.get(key) ?? (previous && shared(previous))
  const after = entry && shared(entry)
  if (after === undefined) known.delete(key)
  else known.set(key, after)
  return {
    revision,
    key,
    ...(after && { entry: after }),
    ...(previous && before && { previous: before }),
  }
}

/** An iterator that is there later, without a turn of its own for each item then. */
export function opening<T>(opened: Promise<AsyncIterator<T>>): AsyncIterator<T> {
  let inner: AsyncIterator<T> | undefined
  const ready = opened.then((iterator) => {
    inner = iterator
    return iterator
  })
  // Only the reader hears of a failure.
  ready.catch(() => {})
  return {
    next: () => inner?.next() ?? ready.then((iterator) => iterator.next()),
    async return() {
      const iterator = inner ?? (await ready.catch(() => undefined))
      await iterator?.return?.()
      return { done: true, value: undefined }
    },
  }
}
