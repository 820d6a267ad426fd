/**
 * The store: one ordered log of object revisions, read as a map.
 *
 * Five promises hold for every implementation; `test/runtime/store/contract.ts` checks them, and nothing above this
 * module relies on anything else.
 *
 *  1. Order.      Revisions of the whole store form one strictly increasing sequence of safe integers, starting at 1.
 *  2. Swap.       A write names the revision it read and lands only if that is still the latest.
 *  3. Snapshot.   A list is exactly the entries alive at the revision it returns.
 *  4. No gaps.    A watch yields every event after its start, once, in order, or fails `Expired`.
 *  5. Durability. A write that was acknowledged survives kill -9; no reader sees one that was not.
 *
 * Values are opaque bytes here: what they mean is the serializer's business. Keys are text, ordered bytewise (UTF-8).
 */

/** A position in the log: a safe integer, 0 before the first write. */
export type Revision = number

/** One live version of a key. Entries are shared and never change: their identity may key a memo. */
export interface Entry {
  readonly key: string
  readonly revision: Revision
  /** The revision that created the key. */
  readonly createRevision: Revision
  readonly value: Uint8Array
}

/**
 * One change. A create has no `previous`, a delete has no `entry`. Events are shared by all watchers: their identity may
 * key a memo.
 */
export interface StoreEvent {
  readonly revision: Revision
  readonly key: string
  readonly entry?: Entry
  readonly previous?: Entry
}

/** What of a collection is listed, and as of when. */
export interface ListOptions {
  /** Begin with the first key greater than this one. */
  readonly after?: string
  /** At most this many entries; without it, all. */
  readonly limit?: number
  /** The page ends before its values have many more bytes than these; it has one entry at least, if there is one. */
  readonly bytes?: number
  /** The number of what follows is not needed: `remaining` is then 1 where entries may follow. */
  readonly uncounted?: boolean
  /** As of this revision; without it, as of the latest. Fails `Expired` if it was compacted, `Future` if it is not there yet. */
  readonly revision?: Revision
}

/** A part of a collection as of one revision. */
export interface Page {
  readonly entries: readonly Entry[]
  /**
   * The same entries in the arrays in which they are kept, from a store that keeps them so: an array that was seen before
   * holds what it held, so that a memo may be keyed by it.
   */
  readonly runs?: readonly (readonly Entry[])[]
  readonly revision: Revision
  /** Entries under the prefix that come after this page. */
  readonly remaining: number
}

/** A store of revisions. Its refusals are StoreErrors; other errors mean that the database failed. */
export interface Store {
  /** The latest entry of a key; undefined if the key is not there. */
  get(key: string): Promise<Entry | undefined>

  /** Entries under `prefix` in key order, all as of one revision. */
  list(prefix: string, options?: ListOptions): Promise<Page>

  /**
   * Stores the first value of a key.
   *
   * @throws StoreError `AlreadyExists` if the key is taken, `TooLarge`.
   */
  create(key: string, value: Uint8Array): Promise<Entry>

  /**
   * Replaces the value of a key.
   *
   * @throws StoreError `NotFound` if the key is not there, `Conflict` unless `expected` is its latest revision, `TooLarge`.
   */
  update(key: string, expected: Revision, value: Uint8Array): Promise<Entry>

  /** Like update, but removes the key; gives the event, whose revision is the deletion's own. */
  delete(key: string, expected: Revision): Promise<StoreEvent>

  /**
   * Events after `after` under `prefix`, in batches that are never empty, until `signal` aborts (the iteration then just
   * ends). Fails `Expired` if `after` was compacted or the reader is too slow to keep.
   */
  watch(prefix: string, after: Revision, signal: AbortSignal): AsyncIterable<readonly StoreEvent[]>

  /** The latest committed revision; 0 in an empty store. */
  revision(): Promise<Revision>

  /** Forgets history up to and including `revision`; live entries stay. */
  compact(revision: Revision): Promise<void>

  /** Finishes the writes under way, ends every watch, releases the database. */
  close(): Promise<void>
}
