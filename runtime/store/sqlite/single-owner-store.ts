/**
 * A store on one database that this process owns.
 *
 * The newest revision of every key is in memory, so that preconditions are checked without a query; values stay in the database.
 */

import type { Entry, ListOptions, Page, Revision } from '../contract.ts'
import type { StoreDump } from '../dump.ts'
import { StoreError } from '../errors.ts'
import type { Change, LiveEntries, LogStore, ReadAllOptions, Write } from '../log-store.ts'
import { futureError } from '../refusals.ts'
import { Retention, type RetentionOptions } from '../retention.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { Committer } from './committer.ts'
import { Compactor } from './compaction.ts'
import type { Connection, Query } from './connection.ts'
import { damaged } from './damage.ts'
import { changesUpTo } from './dump.ts'
import type { LatestRevision } from './latest-revisions.ts'
import { readLive } from './live-entries.ts'
import { type DurableState, loadState } from './load-state.ts'
import { queryOf } from './owned-file.ts'
import { serveOwner } from './owner-socket.ts'
import { PackedReader } from './packed-rows.ts'
import type { Statements } from './statements.ts'

/** What a store of one owner stands on. */
export interface SingleOwnerStoreOptions {
  readonly connection: Connection
  readonly statements: Statements
  readonly retention: RetentionOptions
  /** Most bytes of one value. Default 1.5 MiB. */
  readonly maxValueBytes?: number
  /** Hears of the latest revision before the writes up to it are acknowledged. */
  readonly onCommit?: (revision: Revision) => void
  /** Why no write is taken. */
  readonly readOnly?: StoreError
  /** The file that this process owns, which others may ask it about. */
  readonly file?: string
  /** Closed in this order when the store is. */
  readonly closeables: readonly { close(): Promise<void> }[]
}

/** Takes over a prepared database. */
export async function createSingleOwnerStore(options: SingleOwnerStoreOptions): Promise<LogStore> {
  const { connection, statements } = options
  const state = await connection.run('write', (query) => loadState(statements, query))
  const store = new SingleOwnerStore(options, state)
  if (options.file !== undefined) await store.tell(options.file)
  return store
}

class SingleOwnerStore extends SqlStore {
  readonly id: string
  readonly #options: SingleOwnerStoreOptions
  readonly #latest: Map<string, LatestRevision>
  readonly #committer: Committer
  readonly #compactor: Compactor
  readonly #retention: Retention
  #teller: { close(): Promise<void> } | undefined
  #closing: Promise<void> | undefined
  #written = false

  constructor(options: SingleOwnerStoreOptions, state: DurableState) {
    const { connection, statements } = options
    const { latestRevisions, revision } = state
    super(new PackedReader(statements), options.maxValueBytes)
    this.id = state.id
    this.#options = options
    this.#latest = latestRevisions
    this.#retention = new Retention(options.retention)
    this.#compactor = new Compactor(connection, statements, state.compact, state.trimmed)
    this.#committer = new Committer({
      connection,
      statements,
      latestRevisions,
      revision,
      onCommit: (changes) => {
        options.onCommit?.(changes.at(-1)?.revision ?? 0)
        this.subscribers.publish(changes)
        this.#retention.written(changes)
      },
      onFailure: (error) => this.end(error),
    })
  }

  async revision(): Promise<Revision> {
    this.checkOpen()
    return this.#committer.committed
  }

  get knownRevision(): Revision | undefined {
    return this.ended.signal.aborted ? undefined : this.#committer.committed
  }

  compactedRevision(): Revision {
    return this.#compactor.bound
  }

  async check(): Promise<void> {
    this.checkOpen()
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
    this.checkOpen()
    if (!this.#latest.has(key)) return undefined
    return this.read((query) => this.reader.entry(key, query))
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    this.checkOpen()
    return this.read((query) => {
      const latest = this.#committer.committed
      if (options.revision !== undefined) this.checkHistory(options.revision, latest)
      return this.reader.page(prefix, options, latest, query)
    })
  }

  /** The newest revisions are those of the database, in key order, until one is written. */
  async readAll(options: ReadAllOptions): Promise<LiveEntries | undefined> {
    this.checkOpen()
    if (this.#written) return undefined
    const { connection, statements } = this.#options
    const revision = this.#committer.committed
    const release = this.#compactor.hold()
    try {
      const live = await connection.run('read', (query) =>
        readLive(this.#latest, { statements, query }, options),
      )
      return { revision, ...live }
    } finally {
      release()
    }
  }

  protected get published(): Revision {
    return this.#committer.committed
  }

  protected commit(write: Write): Promise<Change> {
    this.#checkWritable()
    this.#written = true
    return this.#committer.append(write)
  }

  protected read<T>(job: (query: Query) => Promise<T>): Promise<T> {
    return this.#options.connection.run('read', job)
  }

  /** What compaction took is refused before it is read. */
  protected async missing(after: Revision): Promise<never> {
    throw damaged(`rows of the log after ${after} are missing`)
  }

  async compact(revision: Revision): Promise<void> {
    this.checkOpen()
    if (revision > this.#committer.committed) throw futureError(revision, this.#committer.committed)
    await this.#compactor.compact(revision)
  }

  /** What the store holds now. Nothing is compacted until it is closed. */
  async dump(): Promise<StoreDump> {
    this.checkOpen()
    const release = this.#compactor.hold()
    try {
      const { connection, statements } = this.#options
      const state = await connection.run('read', async () => ({
        id: this.id,
        revision: this.#committer.committed,
        compacted: this.#compactor.bound,
        trimmed: this.#compactor.trimmed,
      }))
      const changes = changesUpTo(statements, queryOf(connection), state.revision)
      return { state, changes, close: async () => release() }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Tells others what is in the file, while the store is open. */
  async tell(file: string): Promise<void> {
    const { clock } = this.#options.retention
    this.#teller = await serveOwner(
      file,
      () => this.dump(),
      () => clock.now(),
    )
  }

  async run(signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.ended.signal])
    await this.#retention.run(this, until).catch((error: unknown) => {
      if (!until.aborted) throw error
    })
    this.checkFailure()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const closed = new StoreError('Closed', 'the store is closed')
    this.#committer.stop(closed)
    await this.#committer.idle()
    this.end(closed)
    await this.#teller?.close()
    for (const resource of this.#options.closeables) await resource.close()
  }

  #checkWritable(): void {
    if (this.#options.readOnly !== undefined) throw this.#options.readOnly
  }
}
