/**
 * What a driver gives beside the promises of a store: the log itself.
 *
 * A store on a database answers reads with queries. The watch cache, which has the entries in memory, needs less and wants
 * it cheaper: writes that do not read back what they replaced, and changes without the state before them.
 */
import type { Entry, Revision, Store } from './contract.ts'

/** A write, and the revision of its key that it expects: 0 for a create. */
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

/** How what is alive is read at once. */
export interface ReadAllOptions {
  /** Keys with these prefixes are left out. */
  readonly except?: readonly string[]
  /** Looks at each value as it is stored. What it throws, the reading fails with. */
  readonly check?: (value: Uint8Array) => void
  /** What readers get of a value. */
  readonly stamp?: (
    value: Uint8Array,
    revision: Revision,
    /** Where that may be put, perhaps over the value itself; by default into memory of its own. */
    allocate?: (bytes: number) => Buffer,
  ) => Uint8Array
}

/** Everything that is alive as of a revision, in memory. */
export interface LiveEntries {
  readonly revision: Revision
  /**
   * In key order. A value is compared with its checksum and stamped when it is first asked for: of one that is not as it was
   * written, each look at it throws.
   */
  readonly entries: readonly Entry[]
  /** Bytes of all values. */
  readonly bytes: number
}

/** A store whose log can be followed: what drivers open and the watch cache stands on. */
export interface LogStore extends Store {
  /** Names the database; two databases never share a name. */
  readonly id: string

  /**
   * The latest revision, where this process knows it without a query; undefined where only `revision` says it, as once the
   * store is closed.
   */
  readonly knownRevision?: Revision | undefined

  /** Rejects if the database could not be written lately and still cannot, with what an operator has to know. */
  check(): Promise<void>

  /** Writes as `create`, `update` or `delete` would; a refusal does not name the key's current entry. */
  append(write: Write): Promise<Change>

  /**
   * Everything that is alive, for who keeps it: faster than page by page. Absent where it is not, and undefined of a store that
   * was written to since it was opened.
   */
  readonly readAll?: (options: ReadAllOptions) => Promise<LiveEntries | undefined>

  /**
   * Every change after `after`, without gaps, in batches that are never empty, until `signal` aborts. A slow reader
   * costs no memory: it is served from the database. Fails `Expired` where history was compacted.
   */
  changes(after: Revision, signal: AbortSignal): AsyncIterable<readonly Change[]>

  /** What changes replaced, by revision; what was compacted is missing. */
  replaced(
    revisions: readonly Revision[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Revision, Entry>>

  /** History after this revision is complete. */
  compactedRevision(): Revision

  /**
   * Compacts history that is older than the store keeps it, again and again, until `signal` aborts.
   *
   * @throws Error if the database failed in a way that the store cannot go on from.
   */
  run(signal: AbortSignal): Promise<void>
}
