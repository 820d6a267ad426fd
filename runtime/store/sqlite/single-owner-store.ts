/**
 * A store on one database that this process owns.
 *
 * The newest revision of every key is in memory, so that preconditions are checked without a query; values stay in the database.
 */
import { invariant } from '../../kernel/errors/invariant.ts'
import type { Entry, ListOptions, Page, Revision, StoreEvent } from '../contract.ts'
import { StoreError } from '../errors.ts'
import { replacedVersion, toStoreEvent } from '../events.ts'
import { isKey } from '../keys.ts'
import type { Change, LogStore, Write } from '../log-store.ts'
import { checkSize, compactedError, futureError } from '../refusals.ts'
import { Retention, type RetentionOptions } from '../retention.ts'
import { LogReader } from '../sql/log-reader.ts'
import { LogSubscribers } from '../subscribers.ts'
import { Committer } from './committer.ts'
import { Compactor } from './compaction.ts'
import type { Connection, Query } from './connection.ts'
import type { LatestRevision } from './latest-revisions.ts'
import { type DurableState, loadState } from './load-state.ts'
import type { Statements } from './statements.ts'
import { valueOf } from './value-of.ts'

/** Most bytes that a subscriber may leave unread in memory; beyond, it reads them from the log. */
const maxUnreadBytes = 32 * 1024 * 1024

/** Rows of the log that are read at once. */
const logChunk = 256

/** What a store of one owner stands on. */
export interface SingleOwnerStoreOptions {
  readonly connection: Connection
  readonly statements: Statements
  readonly retention: RetentionOptions
  /** Most bytes of one value. Default 1.5 MiB. */
  readonly maxValueBytes?: number
  /** Why no write is taken. */
  readonly readOnly?: StoreError
  /** Closed in this order when the store is. */
  readonly closeables: readonly { close(): Promise<void> }[]
}

/** Takes over a prepared database. */
export async function createSingleOwnerStore(options: SingleOwnerStoreOptions): Promise<LogStore> {
  const { connection, statements } = options
  const state = await connection.run('write', (query) => loadState(statements, query))
  return new SingleOwnerStore(options, state)
}

class SingleOwnerStore implements LogStore {
  readonly id: string
  readonly #options: SingleOwnerStoreOptions
  readonly #reader: LogReader
  readonly #latest: Map<string, LatestRevision>
  readonly #committer: Committer
  readonly #compactor: Compactor
  readonly #retention: Retention
  readonly #subscribers = new LogSubscribers(maxUnreadBytes)
  readonly #ended = new AbortController()
  #closing: Promise<void> | undefined

  constructor(options: SingleOwnerStoreOptions, state: DurableState) {
    const { connection, statements } = options
    const { latestRevisions, revision } = state
    this.id = state.id
    this.#options = options
    this.#reader = new LogReader(statements, valueOf)
    this.#latest = latestRevisions
    this.#retention = new Retention(options.retention)
    this.#compactor = new Compactor(connection, statements, state.compact, state.trimmed)
    this.#committer = new Committer({
      connection,
      statements,
      latestRevisions,
      revision,
      onCommit: (changes) => {
        this.#subscribers.publish(changes)
        this.#retention.written(changes)
      },
      onFailure: (error) => this.#end(error),
    })
  }

  async revision(): Promise<Revision> {
    this.#checkOpen()
    return this.#committer.committed
  }

  get knownRevision(): Revision | undefined {
    return this.#ended.signal.aborted ? undefined : this.#committer.committed
  }

  compactedRevision(): Revision {
    return this.#compactor.bound
  }

  async check(): Promise<void> {
    this.#checkOpen()
    this.#checkWritable()
    const { refusal } = this.#committer
    if (refusal === undefined) return
    const { connection, statements } = this.#options
    const probe = async (query: Query) => {
      for (const statement of statements.probe()) await query(statement)
    }
    await connection.run('maintenance', probe).catch(() => {
      throw refusal
    })
    this.#committer.recovered()
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen()
    if (!this.#latest.has(key)) return undefined
    return this.#read((query) => this.#reader.entry(key, query))
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    this.#checkOpen()
    return this.#read((query) => {
      const latest = this.#committer.committed
      if (options.revision !== undefined) this.#checkHistory(options.revision)
      return this.#reader.page(prefix, options, latest, query)
    })
  }

  async append(write: Write): Promise<Change> {
    this.#checkOpen()
    this.#checkWritable()
    invariant(isKey(write.key), 'keys are well-formed text without NUL')
    checkSize(write, this.#options.maxValueBytes)
    return this.#committer.append(write)
  }

  async create(key: string, value: Uint8Array): Promise<Entry> {
    const { revision } = await this.#write({ op: 'create', key, expected: 0, value })
    return { key, revision, createRevision: revision, value }
  }

  async update(key: string, expected: Revision, value: Uint8Array): Promise<Entry> {
    const { revision, createRevision: created } = await this.#write({
      op: 'update',
      key,
      expected,
      value,
    })
    return { key, revision, createRevision: created, value }
  }

  async delete(key: string, expected: Revision): Promise<StoreEvent> {
    const before = await this.get(key)
    const { revision } = await this.#write({ op: 'delete', key, expected })
    if (before?.revision === expected) return { revision, key, previous: before }
    const versions = await this.#versions([expected])
    return { revision, key, previous: replacedVersion(expected, versions) }
  }

  async *changes(after: Revision, signal: AbortSignal): AsyncGenerator<readonly Change[], void> {
    let position = after
    while (!signal.aborted && !this.#ended.signal.aborted) {
      const batches =
        position < this.#committer.committed ? this.#past(position) : this.#subscribers.add(signal)
      for await (const batch of batches) {
        const fresh = batch.filter((change) => change.revision > position)
        position = fresh.at(-1)?.revision ?? position
        if (fresh.length > 0 && !signal.aborted) yield fresh
      }
    }
    if (!signal.aborted) this.#checkFailure()
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
      const versions = await this.#versions(replaced)
      yield matching.map((change) => toStoreEvent(change, versions))
    }
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen()
    if (revision > this.#committer.committed) throw futureError(revision, this.#committer.committed)
    await this.#compactor.compact(revision)
  }

  async run(signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.#ended.signal])
    await this.#retention.run(this, until).catch((error: unknown) => {
      if (!until.aborted) throw error
    })
    this.#checkFailure()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const closed = new StoreError('Closed', 'the store is closed')
    this.#committer.stop(closed)
    await this.#committer.idle()
    this.#end(closed)
    for (const resource of this.#options.closeables) await resource.close()
  }

  async #write(write: Write): Promise<Change> {
    try {
      return await this.append(write)
    } catch (error) {
      if (!(error instanceof StoreError) || !conflictReasons.has(error.reason)) throw error
      throw new StoreError(error.reason, error.message, await this.get(write.key))
    }
  }

  #read<T>(job: (query: Query) => Promise<T>): Promise<T> {
    return this.#options.connection.run('read', job)
  }

  #versions(revisions: readonly Revision[]): Promise<ReadonlyMap<Revision, Entry>> {
    if (revisions.length === 0) return Promise.resolve(new Map())
    return this.#read((query) => this.#reader.versions(revisions, query))
  }

  /** One chunk of the log. */
  async *#past(after: Revision): AsyncGenerator<readonly Change[], void> {
    yield await this.#read((query) => {
      if (after < this.compactedRevision()) throw compactedError(after, this.compactedRevision())
      return this.#reader.changes(after, logChunk, query)
    })
  }

  #end(reason: Error): void {
    this.#ended.abort(reason)
    this.#subscribers.end()
  }

  #checkOpen(): void {
    this.#ended.signal.throwIfAborted()
  }

  #checkWritable(): void {
    if (this.#options.readOnly !== undefined) throw this.#options.readOnly
  }

  /** A closed store ends what goes on in it; a failed one says why. */
  #checkFailure(): void {
    const { reason } = this.#ended.signal
    if (!(reason instanceof StoreError)) this.#checkOpen()
  }

  #checkHistory(revision: Revision): void {
    const latest = this.#committer.committed
    if (revision > latest) throw futureError(revision, latest)
    if (revision < this.compactedRevision())
      throw compactedError(revision, this.compactedRevision())
  }
}

const conflictReasons: ReadonlySet<StoreError['reason']> = new Set(['AlreadyExists', 'Conflict'])
