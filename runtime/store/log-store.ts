/**
 * What a database gives beside the promises of a store: the log itself.
 *
 * A store that stands on a database answers reads with queries. Whoever keeps the entries in memory (the watch cache)
 * needs less and wants it cheaper: writes that do not read back what they replaced, and changes without the state
 * before them.
 */
import type { Revision, Store } from './contract.ts'

/** A write to be judged against the newest revision of its key. `expected` is 0 for a create. */
export interface Write {
  readonly op: 'create' | 'update' | 'delete'
  readonly key: string
  readonly expected: Revision
  /** Absent for a delete. */
  readonly value?: Uint8Array
}

/** One row of the log. Without a value it is a deletion. */
export interface Change {
  readonly revision: Revision
  readonly key: string
  /** The revision that this change replaced; 0 for a create. */
  readonly previousRevision: Revision
  readonly createRevision: Revision
  readonly value: Uint8Array | undefined
}

export interface LogStore extends Store {
  /** Names the database; two databases never share a name. */
  readonly id: string

  /**
   * The latest revision, where this process knows it without asking; undefined where it has to ask `revision`, as it does
   * once the store is closed.
   */
  readonly knownRevision?: Revision | undefined

  /** Lands the write as `create`, `update` or `delete` would; a refusal does not name the key's current entry. */
  append(write: Write): Promise<Change>

  /**
   * Every change after `after`, without gaps, in batches that are never empty, until `signal` aborts. A slow reader
   * costs no memory: it is served from the database. Fails `Expired` where history was compacted.
   */
  changes(after: Revision, signal: AbortSignal): AsyncIterable<readonly Change[]>

  /** History after this revision is complete. */
  compactedRevision(): Revision

  /**
   * Forgets history that has come of age, again and again, until `signal` aborts. Fails if the database failed in a way
   * that the store cannot go on from.
   */
  run(signal: AbortSignal): Promise<void>
}
