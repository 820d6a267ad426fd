import { invariant } from '../../kernel/errors/invariant.ts'
import type { Entry, ListOptions, Page, Revision, StoreEvent } from '../contract.ts'
import { StoreError } from '../errors.ts'
import { replacedVersion, toStoreEvent } from '../events.ts'
import { isKey } from '../keys.ts'
import type { Change, LogStore, Write } from '../log-store.ts'
import { checkSize, compactedError, futureError } from '../refusals.ts'
import { LogSubscribers } from '../subscribers.ts'
import type { LogReader, Query } from './log-reader.ts'

/** Most bytes that a subscriber may leave unread in memory; beyond, it reads them from the log. */
const maxUnreadBytes = 32 * 1024 * 1024

/** Rows of the log that are read at once. */
const logChunk = 256

/** What every store over SQL does alike: readers of the log that have caught up are fed from memory, the others from the database. */
export abstract class SqlStore implements LogStore {
  abstract readonly id: string
  protected readonly reader: LogReader
  protected readonly subscribers = new LogSubscribers(maxUnreadBytes)
  /** Aborts when the store is closed or cannot go on, with the error that says so. */
  protected readonly ended = new AbortController()
  readonly #maxValueBytes: number | undefined

  constructor(reader: LogReader, maxValueBytes: number | undefined) {
    this.reader = reader
    this.#maxValueBytes = maxValueBytes
  }

  /** Subscribers have everything up to this revision. */
  protected abstract readonly published: Revision

  /** Runs reads that see one state of the database. */
  protected abstract read<T>(job: (query: Query) => Promise<T>): Promise<T>

  /** The same for who follows the log: what passes is waited for, until the signal aborts. */
  protected readToFollow<T>(job: (query: Query) => Promise<T>, _signal: AbortSignal): Promise<T> {
    return this.read(job)
  }

  /** Commits a write that is well-formed. */
  protected abstract commit(write: Write): Promise<Change>

  abstract get(key: string): Promise<Entry | undefined>
  abstract list(prefix: string, options?: ListOptions): Promise<Page>
  abstract revision(): Promise<Revision>
  abstract compactedRevision(): Revision
  abstract check(): Promise<void>
  abstract compact(revision: Revision): Promise<void>
  abstract run(signal: AbortSignal): Promise<void>
  abstract close(): Promise<void>

  async append(write: Write): Promise<Change> {
    this.checkOpen()
    invariant(isKey(write.key), 'keys are well-formed text without NUL')
    checkSize(write, this.#maxValueBytes)
    return this.commit(write)
  }

  async create(key: string, value: Uint8Array): Promise<Entry> {
    const { revision } = await this.#write({ op: 'create', key, expected: 0, value })
    return { key, revision, createRevision: revision, value }
  }

  async update(key: string, expected: Revision, value: Uint8Array): Promise<Entry> {
    const { revision, createRevision } = await this.#write({ op: 'update', key, expected, value })
    return { key, revision, createRevision, value }
  }

  async delete(key: string, expected: Revision): Promise<StoreEvent> {
    const before = await this.get(key)
    const { revision } = await this.#write({ op: 'delete', key, expected })
    if (before?.revision === expected) return { revision, key, previous: before }
    const versions = await this.read((query) => this.#versions([expected], query))
    return { revision, key, previous: replacedVersion(expected, versions) }
  }

  async *changes(after: Revision, signal: AbortSignal): AsyncGenerator<readonly Change[], void> {
    let position = after
    while (!signal.aborted && !this.ended.signal.aborted) {
      const batches =
        position < this.published ? this.#past(position, signal) : this.subscribers.add(signal)
      for await (const batch of batches) {
        const fresh = batch.filter((change) => change.revision > position)
        position = fresh.at(-1)?.revision ?? position
        if (fresh.length > 0 && !signal.aborted) yield fresh
      }
    }
    if (!signal.aborted) this.checkFailure()
  }

  async replaced(
    revisions: readonly Revision[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Revision, Entry>> {
    const found = new Map<Revision, Entry>()
    for (let at = 0; at < revisions.length; at += logChunk) {
      const some = revisions.slice(at, at + logChunk)
      const versions = await this.readToFollow((query) => this.#versions(some, query), signal)
      for (const [revision, entry] of versions) found.set(revision, entry)
    }
    return found
  }

  async *watch(
    prefix: string,
    after: Revision,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StoreEvent[], void> {
    for await (const batch of this.changes(after, signal)) {
      const matching = batch.filter((change) => change.key.startsWith(prefix))
      if (matching.length === 0) continue
      const replaced = matching
        .map((change) => change.previousRevision)
        .filter((revision) => revision > 0)
      const versions = await this.replaced(replaced, signal)
      yield matching.map((change) => toStoreEvent(change, versions))
    }
  }

  /** Ends everything that goes on in the store. */
  protected end(reason: Error): void {
    this.ended.abort(reason)
    this.subscribers.end()
  }

  protected checkOpen(): void {
    this.ended.signal.throwIfAborted()
  }

  /** A closed store ends what goes on in it; a failed one says why. */
  protected checkFailure(): void {
    const { reason } = this.ended.signal
    if (!(reason instanceof StoreError)) this.checkOpen()
  }

  /** @throws StoreError for a revision that is not between the compacted one and the latest. */
  protected checkHistory(revision: Revision, latest: Revision): void {
    if (revision > latest) throw futureError(revision, latest)
    if (revision < this.compactedRevision())
      throw compactedError(revision, this.compactedRevision())
  }

  /** One chunk of the log. @throws StoreError `Expired` if its beginning is gone. */
  async *#past(after: Revision, signal: AbortSignal): AsyncGenerator<readonly Change[], void> {
    yield await this.readToFollow(async (query) => {
      if (after < this.compactedRevision()) throw compactedError(after, this.compactedRevision())
      const changes = await this.reader.changes(after, logChunk, query)
      const whole = changes.every(({ revision }, index) => revision === after + 1 + index)
      if (!whole) await this.missing(after, query)
      return changes
    }, signal)
  }

  /** Says why rows of the log after a revision are not there. */
  protected abstract missing(after: Revision, query: Query): Promise<never>

  async #versions(
    revisions: readonly Revision[],
    query: Query,
  ): Promise<ReadonlyMap<Revision, Entry>> {
    return revisions.length === 0 ? new Map() : this.reader.versions(revisions, query)
  }

  async #write(write: Write): Promise<Change> {
    try {
      return await this.append(write)
    } catch (error) {
      if (!(error instanceof StoreError) || !conflictReasons.has(error.reason)) throw error
      throw new StoreError(error.reason, error.message, await this.get(write.key))
    }
  }
}

const conflictReasons: ReadonlySet<StoreError['reason']> = new Set(['AlreadyExists', 'Conflict'])
