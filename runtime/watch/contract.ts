/**
 * The watch cache: the store's live entries and its recent events, in memory.
 *
 *  1. It keeps every promise of `runtime/store/contract.ts`; the same contract suite runs over it.
 *  2. Reads see every write that was acknowledged before they began: a read asks the store for its revision and waits
 *     until the cache has it. `listCached` and `getCached` do not wait.
 *  3. Entries and events are the same objects for every reader, so that a memo may be keyed by them.
 *  4. What is not kept in memory (`uncached`) is read and watched like the rest: each read costs one of the store.
 *  5. A watcher that falls behind its byte budget fails `Expired`; it never holds others up and never grows memory.
 *
 * `stampResourceVersion` writes the resourceVersion into the bytes of an entry when it enters the cache, once, so that no
 * read path has to.
 */
import type { Clock } from '../kernel/async/clock.ts'
import type { Entry, ListOptions, Page, Revision, Store, StoreEvent } from '../store/store.ts'
import type { BTree } from './btree.ts'

/** A store whose reads are answered from memory. */
export interface WatchCache extends Store {
  /** The entry in the cache now, without waiting for the store. */
  getCached(key: string): Entry | undefined
  /** The latest entries in the cache now, without waiting for the store. */
  listCached(prefix: string, options?: Omit<ListOptions, 'revision'>): Page
  /**
   * False for keys, and prefixes of keys, whose entries are not kept in memory: `get` and `list` ask the store, `getCached` finds none and
   * `listCached` is not for them. With a revision: false also where memory does not reach back to it.
   */
  isCached(prefix: string, revision?: Revision): boolean
  /** How many entries a prefix has; of what is not kept only the prefixes of `uncached` themselves can be asked for. */
  count(prefix: string): number
  /** Resolves once the cache has `revision`; fails `Future` after `timeoutMs`. */
  waitForRevision(revision: Revision, timeoutMs: number): Promise<void>
  /** The latest revision in the cache. */
  readonly currentRevision: Revision
  /** True if the cache is known to have every write that was acknowledged before now: what `peek` gives is the latest. */
  readonly isFresh: boolean
}

/** The cache of a whole store. */
export interface StoreCache extends WatchCache {
  /**
   * What it holds now, for another cache to begin with; with `at`, what it held at that revision.
   *
   * @throws StoreError `Expired` or `Future` for a revision that its history does not reach.
   */
  snapshot(at?: Revision): CacheSnapshot
  /**
   * Calls `listener` with every event of a prefix from now on, in order, when the cache has it and before the write that made it
   * is acknowledged. For what has to be as new as the cache itself; it must be quick, and must not throw.
   */
  follow(prefix: string, listener: (event: StoreEvent) => void): void
  /** Does what a start with many objects left for later, and the first reader of each would have to: some milliseconds at a time. */
  settle(signal: AbortSignal): Promise<void>
}

/** The entries of a cache as of one revision, as its readers get them. It never changes. */
export interface CacheSnapshot {
  readonly tree: BTree
  readonly entries: ReadonlyMap<string, Entry>
  readonly revision: Revision
}

/** How much of the past is kept. */
export interface WatchCacheOptions {
  readonly clock: Clock
  /** Runs once for each entry when it enters the cache; gives the value that readers get. Default: the stored one. */
  readonly stampResourceVersion?: (
    value: Uint8Array,
    revision: Revision,
    /** Where the stamped value may be put, perhaps over the value itself; by default into memory of its own. */
    allocate?: (bytes: number) => Buffer,
  ) => Uint8Array
  /** Throws for a stored value that no reader could be given. Runs for each that is there at the start. */
  readonly checkStored?: (value: Uint8Array) => void
  /** What the store held at some revision that its history reaches back to. Default: it is asked. */
  readonly from?: CacheSnapshot
  /** Prefixes of keys whose entries are not kept in memory; their events are. None begins with another one. Default: everything is kept. */
  readonly uncached?: readonly string[]
  /** Milliseconds that events are kept, for watches to resume from and lists to look back at. Default 300,000. */
  readonly historyMs?: number
  /** Bytes that the process may grow by for the kept events, garbage included. Default 256 MiB. */
  readonly maxHistoryBytes?: number
  /** Most bytes that one watcher may leave unread before it fails `Expired`. Default 8 MiB. */
  readonly maxBacklogBytes?: number
}
