import { yieldToEventLoop } from '../kernel/async/slices.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import {
  type Change,
  type Entry,
  type ListOptions,
  type LogStore,
  type Page,
  type Revision,
  replacedVersion,
  StoreError,
  type StoreEvent,
  upToBytes,
  type Write,
} from '../store/store.ts'
import { type BTree, count, find, put, remove } from './btree.ts'
import { listPage } from './btree-page.ts'
import type { CacheSnapshot, StoreCache, WatchCacheOptions } from './contract.ts'
import { EventHistory } from './event-history.ts'
import { opening, Past } from './past.ts'
import { readSnapshot, type StartSnapshot, settleEntry, stampEntry } from './read-snapshot.ts'
import { RevisionWaiters } from './revision-waiters.ts'
import { Snapshots } from './snapshots.ts'
import { Uncached } from './uncached.ts'
import { Watchers } from './watchers.ts'

/** Reads the store into memory and follows it until it is closed. Closing the cache closes the store. */
export async function createWatchCache(
  store: LogStore,
  options: WatchCacheOptions,
): Promise<StoreCache> {
  for (;;) {
    try {
      return await readCache(store, options)
    } catch (error) {
      // Another server of the same database may compact while this one reads.
      const isExpired = error instanceof StoreError && error.reason === 'Expired'
      if (!isExpired || options.from !== undefined) throw error
    }
  }
}

async function readCache(store: LogStore, options: WatchCacheOptions): Promise<StoreCache> {
  const latest = await store.revision()
  const read = options.from ? undefined : await readSnapshot(store, latest, options)
  const from = options.from ?? (read as StartSnapshot)
  const counts = await countUncached(store, from.revision, options)
  const cache = new Cache(store, options, { from, counts, unsettled: read?.unsettled ?? [] })
  cache.followStore()
  await cache.waitForRevision(latest)
  return cache
}

/**
 * The part of the memory for the history that its events may take: under load the process grows by about four times their bytes,
 * since the collector waits until there is as much garbage again, and requests make some of their own.
 */
const keptPart = 0.25

/** How many entries each prefix has that is not kept, at a revision. */
async function countUncached(
  store: LogStore,
  revision: Revision,
  { uncached = [] }: WatchCacheOptions,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const prefix of uncached) {
    const { entries, remaining } = await store.list(prefix, { revision, limit: 1 })
    counts.set(prefix, entries.length + remaining)
  }
  return counts
}

/** Entries whose values are stamped in one turn: some milliseconds' worth. */
const settledAtOnce = 500

const emptyValue = new Uint8Array()

/** Refusals that name the entry the write lost against. */
const conflictReasons: ReadonlySet<StoreError['reason']> = new Set(['AlreadyExists', 'Conflict'])

/** Who is called with the events of a prefix. */
interface Follower {
  readonly prefix: string
  readonly listener: (event: StoreEvent) => void
}

/** What a cache begins with. */
interface CacheStart {
  readonly from: CacheSnapshot
  /** How many entries each prefix has that is not kept. */
  readonly counts: ReadonlyMap<string, number>
  /** Entries whose values are not stamped yet. */
  readonly unsettled: readonly Entry[]
}

/** The entries are in the tree and in a table by key; the events of the last minutes are in the history. */
class Cache implements StoreCache {
  readonly #store: LogStore
  readonly #options: WatchCacheOptions
  #history: EventHistory
  /** What was there before the cache is read from the store for the first watch that asks for it. */
  readonly #past: Past
  readonly #snapshots = new Snapshots()
  readonly #watchers: Watchers
  readonly #waiters: RevisionWaiters
  readonly #followers: Follower[] = []
  readonly #ended = new AbortController()
  /** What is not in the tree. */
  readonly #uncached: Uncached
  /** The entries in key order, as of the current revision. */
  #tree: BTree
  /** The entries of the tree by key: a look at one key is a look at a table, however many there are. */
  readonly #latest: Map<string, Entry>
  #current: Revision
  #unsettled: readonly Entry[]
  #following: Promise<void> = Promise.resolve()

  constructor(
    store: LogStore,
    options: WatchCacheOptions,
    { from, counts, unsettled }: CacheStart,
  ) {
    const { historyMs = 300_000, maxHistoryBytes = 256 * 1024 * 1024 } = options
    const { maxBacklogBytes = 8 * 1024 * 1024 } = options
    this.#store = store
    this.#options = options
    this.#uncached = new Uncached(store, counts)
    const bytes = maxHistoryBytes * keptPart
    const limits = { ageMs: historyMs, bytes }
    this.#history = new EventHistory(from.revision, limits)
    this.#past = new Past(store, from.revision, limits)
    this.#watchers = new Watchers(maxBacklogBytes)
    this.#waiters = new RevisionWaiters(options.clock)
    this.#tree = from.tree
    this.#latest =
      from === options.from ? new Map(from.entries) : (from.entries as Map<string, Entry>)
    this.#current = from.revision
    this.#unsettled = unsettled
  }

  get currentRevision(): Revision {
    return this.#current
  }

  get isFresh(): boolean {
    return this.#store.knownRevision === this.#current && !this.#ended.signal.aborted
  }

  snapshot(at: Revision = this.#current): CacheSnapshot {
    const { start } = this.#history
    if (at < start) throw expiredError(at, start)
    if (at > this.#current) throw new StoreError('Future', `revision ${at} has not come yet`)
    if (at === this.#current) {
      return { tree: this.#tree, entries: new Map(this.#latest), revision: at }
    }
    const tree = this.#snapshots.at(at, this.#tree, this.#current, this.#history)
    const { entries } = listPage(tree, at, '')
    return { tree, entries: new Map(entries.map((entry) => [entry.key, entry])), revision: at }
  }

  follow(prefix: string, listener: Follower['listener']): void {
    this.#followers.push({ prefix, listener })
  }

  async settle(signal: AbortSignal): Promise<void> {
    const entries = this.#unsettled
    for (let at = 0; at < entries.length; at += settledAtOnce) {
      await yieldToEventLoop()
      if (signal.aborted) return
      entries.slice(at, at + settledAtOnce).forEach(settleEntry)
    }
    this.#unsettled = []
  }

  /** Applies the store's changes from here on. What the store fails with, every read and watch fails with. */
  followStore(): void {
    this.#following = this.#follow().then(
      () => this.#end(new StoreError('Closed', 'the store is closed')),
      (error: unknown) => this.#end(error, error),
    )
  }

  async revision(): Promise<Revision> {
    await this.#waitUntilFresh()
    return this.#current
  }

  async waitForRevision(revision: Revision, timeoutMs?: number): Promise<void> {
    this.#ended.signal.throwIfAborted()
    if (this.#current < revision) await this.#waiters.wait(revision, timeoutMs)
  }

  isCached(prefix: string, revision: Revision = this.#current): boolean {
    return !this.#uncached.has(prefix) && revision >= this.#history.start
  }

  count(prefix: string): number {
    return this.#uncached.count(prefix) ?? count(this.#tree, prefix)
  }

  getCached(key: string): Entry | undefined {
    return this.#latest.get(key)
  }

  listCached(prefix: string, { after, limit }: Omit<ListOptions, 'revision'> = {}): Page {
    invariant(this.isCached(prefix), 'what is not cached is read from the store')
    return listPage(this.#tree, this.#current, prefix, after, limit)
  }

  async get(key: string): Promise<Entry | undefined> {
    if (!this.isCached(key)) return this.#getStored(key)
    await this.#waitUntilFresh()
    return this.getCached(key)
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    if (this.#uncached.concerns(prefix)) return this.#listStored(prefix, options)
    await this.#waitUntilFresh()
    const { after, limit, bytes, revision = this.#current } = options
    if (revision > this.#current || revision < this.#history.start) {
      const page = await this.#store.list(prefix, options)
      return { ...page, entries: page.entries.map((entry) => this.#stamp(entry)) }
    }
    const tree = this.#snapshots.at(revision, this.#tree, this.#current, this.#history)
    const page = endedBy(bytes, listPage(tree, revision, prefix, after, limit))
    if (page.remaining > 0) this.#snapshots.keep(revision, tree)
    return page
  }

  async create(key: string, value: Uint8Array): Promise<Entry> {
    return this.#put({ op: 'create', key, expected: 0, value })
  }

  async update(key: string, expected: Revision, value: Uint8Array): Promise<Entry> {
    return this.#put({ op: 'update', key, expected, value })
  }

  async delete(key: string, expected: Revision): Promise<StoreEvent> {
    await this.#waitUntilFresh()
    const before = this.getCached(key)
    const { revision } = await this.#append({ op: 'delete', key, expected })
    const known = this.#history.at(revision)
    if (known !== undefined) return known
    if (before?.revision === expected) return { revision, key, previous: before }
    invariant(!this.isCached(key), 'what was deleted was in the cache before')
    const versions = await this.#store.replaced([expected], this.#ended.signal)
    return { revision, key, previous: this.#stamp(replacedVersion(expected, versions)) }
  }

  watch(
    prefix: string,
    after: Revision,
    signal: AbortSignal,
  ): AsyncIterable<readonly StoreEvent[]> {
    return {
      [Symbol.asyncIterator]: () => {
        const isPast = after < this.#history.start && this.#past.reaches(after)
        if (!isPast) return this.#watch(prefix, after, signal)
        return opening(this.#readPast().then(() => this.#watch(prefix, after, signal)))
      },
    }
  }

  async compact(revision: Revision): Promise<void> {
    await this.#store.compact(revision)
    await this.waitForRevision(revision)
    this.#history.forget(revision)
    this.#snapshots.forget(this.#history.start)
  }

  async close(): Promise<void> {
    await this.#store.close()
    await this.#following
  }

  /** Ends when the store is closed, fails when it fails. */
  async #follow(): Promise<void> {
    for await (const changes of this.#store.changes(this.#current, this.#ended.signal)) {
      if (this.#uncached.isEmpty) this.#apply(changes)
      else this.#apply(changes, await this.#replaced(changes))
    }
  }

  /** What changes replaced that is not kept, as readers get it. */
  async #replaced(changes: readonly Change[]): Promise<ReadonlyMap<Revision, Entry>> {
    const known = (revision: Revision) => this.#history.at(revision)?.entry
    const versions = await this.#uncached.replaced(changes, known, this.#ended.signal)
    return new Map([...versions].map(([revision, entry]) => [revision, this.#stamp(entry)]))
  }

  /** Ends everything that waits: reads with the reason, watches with the failure, or just so if there is none. */
  #end(reason: unknown, failure?: unknown): void {
    this.#ended.abort(reason)
    this.#waiters.fail(reason)
    this.#watchers.end(failure)
  }

  /** The cache first, then the reads that wait for it, and only then, in later turns, the watchers. */
  #apply(changes: readonly Change[], replaced?: ReadonlyMap<Revision, Entry>): void {
    const now = this.#options.clock.now()
    const events = changes.map((change) => this.#applyOne(change, now, replaced))
    for (const { prefix, listener } of this.#followers) {
      for (const event of events) if (event.key.startsWith(prefix)) listener(event)
    }
    this.#history.trim(now)
    this.#snapshots.forget(this.#history.start)
    this.#waiters.reached(this.#current)
    this.#watchers.publish(events)
  }

  /** Takes one change into the history and the tree; gives its event. */
  #applyOne(
    change: Change,
    now: number,
    replaced: ReadonlyMap<Revision, Entry> | undefined,
  ): StoreEvent {
    const event = this.#eventOf(change, replaced)
    this.#history.push(event, now)
    const { entry, key, revision } = event
    if (!this.isCached(key)) {
      this.#uncached.changed(change)
    } else if (entry === undefined) {
      this.#tree = remove(this.#tree, key)
      this.#latest.delete(key)
    } else {
      this.#tree = put(this.#tree, entry)
      this.#latest.set(key, entry)
    }
    this.#current = revision
    return event
  }

  /** The event of a change: the log has what the change leaves, the cache what was there before, its text of the key included. */
  #eventOf(change: Change, replaced: ReadonlyMap<Revision, Entry> | undefined): StoreEvent {
    const { revision, createRevision, previousRevision, value } = change
    const previous = this.isCached(change.key)
      ? this.#latest.get(change.key)
      : (replaced?.get(previousRevision) ?? this.#history.at(previousRevision)?.entry)
    const key = previous?.key ?? change.key
    const isNext = (previous?.revision ?? 0) === previousRevision
    invariant(isNext, 'a change replaces the version in the cache')
    const entry = value && this.#stamp({ key, revision, createRevision, value })
    return { revision, key, ...(entry && { entry }), ...(previous && { previous }) }
  }

  #stamp(entry: Entry): Entry {
    return stampEntry(entry, this.#options)
  }

  /** Puts what happened before the cache was there in front of the history. */
  async #readPast(): Promise<void> {
    const { clock } = this.#options
    const { start } = this.#history
    const tree = this.#snapshots.at(start, this.#tree, this.#current, this.#history)
    const shared = (entry: Entry): Entry => {
      const known = find(tree, entry.key)
      return known?.revision === entry.revision ? known : this.#stamp(entry)
    }
    const past = await this.#past.read({ now: () => clock.now(), shared }, this.#ended.signal)
    if (past.end !== this.#history.start) return
    past.append(this.#history)
    past.trim(clock.now())
    this.#history = past
  }

  /** Waits until the cache has what was acknowledged before now. */
  async #waitUntilFresh(): Promise<void> {
    if (!this.isFresh) await this.waitForRevision(await this.#store.revision())
  }

  /** An entry that is not kept; the cache has what made it. */
  async #getStored(key: string): Promise<Entry | undefined> {
    this.#ended.signal.throwIfAborted()
    const entry = await this.#store.get(key)
    if (entry === undefined) return undefined
    await this.waitForRevision(entry.revision)
    this.#uncached.hasRead(entry)
    return this.#history.at(entry.revision)?.entry ?? this.#stamp(entry)
  }

  /** A page of which something is not kept; the cache has what made it. */
  async #listStored(prefix: string, options: ListOptions): Promise<Page> {
    this.#ended.signal.throwIfAborted()
    const page = await this.#uncached.list(prefix, options)
    await this.waitForRevision(page.revision)
    return { ...page, entries: page.entries.map((entry) => this.#stamp(entry)) }
  }

  /** Writes a value; gives the entry that readers get, which may be out of the history already. */
  async #put(write: Write): Promise<Entry> {
    const { key, revision, createRevision } = await this.#append(write)
    const latest = this.#latest.get(key)
    const known = latest?.revision === revision ? latest : this.#history.at(revision)?.entry
    const { value = emptyValue } = write
    return known ?? this.#stamp({ key, revision, createRevision, value })
  }

  /** Resolves once the write is durable and in the cache. */
  async #append(write: Write): Promise<Change> {
    try {
      const change = await this.#store.append(write)
      await this.waitForRevision(change.revision)
      return change
    } catch (error) {
      if (!(error instanceof StoreError) || !conflictReasons.has(error.reason)) throw error
      throw new StoreError(error.reason, error.message, await this.get(write.key))
    }
  }

  #watch(
    prefix: string,
    after: Revision,
    signal: AbortSignal,
  ): AsyncIterator<readonly StoreEvent[]> {
    const { start } = this.#history
    const replay = after < start || after >= this.#current ? [] : this.#history.since(after, prefix)
    const watcher = this.#watchers.add(prefix, after, replay, signal)
    const { aborted, reason } = this.#ended.signal
    if (aborted) watcher.end(reason instanceof StoreError ? undefined : reason)
    else if (after < start) watcher.end(expiredError(after, start))
    return watcher
  }
}

/** The page up to the entry with which its values have so many bytes. */
function endedBy(bytes: number | undefined, page: Page): Page {
  if (bytes === undefined) return page
  const entries = upToBytes(page.entries, bytes)
  const left = page.entries.length - entries.length
  return left === 0 ? page : { entries, revision: page.revision, remaining: page.remaining + left }
}

function expiredError(after: Revision, start: Revision): StoreError {
  return new StoreError('Expired', `revision ${after} is too old: events begin after ${start}`)
}
