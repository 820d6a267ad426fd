/**
 * A store on one database that this process owns.
 *
 * The newest revision of every key is in memory, so that writes are judged without a query; values stay in the database.
 */

import { invariant } from '../kernel/invariant.ts'
import { Committer } from './committer.ts'
import { type CompactionOptions, Compactor, compactRegularly } from './compaction.ts'
import type { Database, Query, Row } from './database.ts'
import type { Dialect } from './dialect.ts'
import { eventOf, versionOf } from './events.ts'
import { Followers } from './followers.ts'
import type { Head } from './heads.ts'
import { isKey } from './keys.ts'
import type { Change, LogStore, Write } from './log-store.ts'
import { readEntry, readLog, readPage, readVersions } from './reads.ts'
import {
  type Entry,
  type ListOptions,
  type Page,
  type Revision,
  StoreError,
  type StoreEvent,
} from './store.ts'

/** Above any object that a request may carry once it is written out, below what hurts everybody else. */
const defaultValueBytes = 1.5 * 1024 * 1024

const logChunk = 256

export interface KnexStoreOptions {
  readonly database: Database
  readonly dialect: Dialect
  readonly compaction: CompactionOptions
  /** Most bytes of one value. Default 1.5 MiB. */
  readonly valueBytes?: number
  /** Closed in this order when the store is. */
  readonly resources: readonly { close(): Promise<void> }[]
}

/** Takes over a prepared database. */
export async function createKnexStore(options: KnexStoreOptions): Promise<LogStore> {
  const state = await options.database.run('write', (query) => load(options.dialect, query))
  return new KnexStore(options, state)
}

interface State {
  readonly id: string
  readonly revision: Revision
  readonly compact: Revision
  readonly trimmed: Revision
  readonly heads: Map<string, Head>
}

/** The log may end before the compact revision: the last thing before it was a deletion. */
async function load(dialect: Dialect, query: Query): Promise<State> {
  const meta = new Map((await query(dialect.meta)).map((row) => [row.name, row.value]))
  const [tip] = await query(dialect.tip)
  const compact = Number(meta.get('compact'))
  return {
    id: String(meta.get('id')),
    revision: Math.max(Number(tip?.tip), compact),
    compact,
    trimmed: Number(meta.get('trimmed')),
    heads: new Map((await query(dialect.heads)).map(headOf)),
  }
}

function headOf(row: Row): [string, Head] {
  const head = {
    revision: Number(row.rev),
    created: Number(row.cre),
    deleted: false,
    pending: undefined,
  }
  return [String(row.key), head]
}

class KnexStore implements LogStore {
  readonly id: string
  readonly #options: KnexStoreOptions
  readonly #heads: Map<string, Head>
  readonly #committer: Committer
  readonly #compactor: Compactor
  readonly #followers = new Followers()
  readonly #ended = new AbortController()
  #closing: Promise<void> | undefined

  constructor(options: KnexStoreOptions, state: State) {
    const { database, dialect } = options
    const { heads, revision } = state
    this.id = state.id
    this.#options = options
    this.#heads = heads
    this.#compactor = new Compactor(database, dialect, state.compact, state.trimmed)
    this.#committer = new Committer({
      database,
      dialect,
      heads,
      revision,
      committed: (changes) => this.#followers.publish(changes),
      failed: (error) => this.#end(error),
    })
  }

  async revision(): Promise<Revision> {
    this.#checkOpen()
    return this.#committer.committed
  }

  get tip(): Revision | undefined {
    return this.#ended.signal.aborted ? undefined : this.#committer.committed
  }

  compacted(): Revision {
    return this.#compactor.bound
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen()
    if (!this.#heads.has(key)) return undefined
    return this.#read((query) => readEntry(key, this.#options.dialect, query))
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    this.#checkOpen()
    return this.#read((query) => {
      const latest = this.#committer.committed
      if (options.revision !== undefined) this.#checkHistory(options.revision)
      return readPage(prefix, options, latest, this.#options.dialect, query)
    })
  }

  async append(write: Write): Promise<Change> {
    this.#checkOpen()
    const { key, value } = write
    const { valueBytes = defaultValueBytes } = this.#options
    invariant(isKey(key), 'keys are well-formed text without NUL')
    if (value !== undefined && value.byteLength > valueBytes) {
      throw new StoreError(
        'TooLarge',
        `${key}: ${value.byteLength} bytes are more than ${valueBytes}`,
      )
    }
    return this.#committer.append(write)
  }

  async create(key: string, value: Uint8Array): Promise<Entry> {
    const { revision } = await this.#write({ op: 'create', key, expected: 0, value })
    return { key, revision, created: revision, value }
  }

  async update(key: string, expected: Revision, value: Uint8Array): Promise<Entry> {
    const { revision, created } = await this.#write({ op: 'update', key, expected, value })
    return { key, revision, created, value }
  }

  async delete(key: string, expected: Revision): Promise<StoreEvent> {
    const before = await this.get(key)
    const { revision } = await this.#write({ op: 'delete', key, expected })
    if (before?.revision === expected) return { revision, key, previous: before }
    const versions = await this.#versions([expected])
    return { revision, key, previous: versionOf(expected, versions) }
  }

  async *changes(after: Revision, signal: AbortSignal): AsyncGenerator<readonly Change[], void> {
    let position = after
    while (!signal.aborted && !this.#ended.signal.aborted) {
      const batches =
        position < this.#committer.committed ? this.#past(position) : this.#followers.add(signal)
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
      const replaced = matching.map((change) => change.replaced).filter((revision) => revision > 0)
      const versions = await this.#versions(replaced)
      yield matching.map((change) => eventOf(change, versions))
    }
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen()
    if (revision > this.#committer.committed) throw future(revision, this.#committer.committed)
    await this.#compactor.compact(revision)
  }

  async run(signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.#ended.signal])
    await compactRegularly(this, this.#options.compaction, until).catch((error: unknown) => {
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
    for (const resource of this.#options.resources) await resource.close()
  }

  async #write(write: Write): Promise<Change> {
    try {
      return await this.append(write)
    } catch (error) {
      if (!(error instanceof StoreError) || !lost.has(error.reason)) throw error
      throw new StoreError(error.reason, error.message, await this.get(write.key))
    }
  }

  #read<T>(job: (query: Query) => Promise<T>): Promise<T> {
    return this.#options.database.run('read', job)
  }

  #versions(revisions: readonly Revision[]): Promise<ReadonlyMap<Revision, Entry>> {
    if (revisions.length === 0) return Promise.resolve(new Map())
    return this.#read((query) => readVersions(revisions, this.#options.dialect, query))
  }

  /** One chunk of the log. */
  async *#past(after: Revision): AsyncGenerator<readonly Change[], void> {
    yield await this.#read((query) => {
      if (after < this.compacted()) throw expired(after, this.compacted())
      return readLog(after, logChunk, this.#options.dialect, query)
    })
  }

  #end(reason: Error): void {
    this.#ended.abort(reason)
    this.#followers.end()
  }

  #checkOpen(): void {
    this.#ended.signal.throwIfAborted()
  }

  /** A closed store ends what goes on in it; a failed one says why. */
  #checkFailure(): void {
    const { reason } = this.#ended.signal
    if (!(reason instanceof StoreError)) this.#checkOpen()
  }

  #checkHistory(revision: Revision): void {
    const latest = this.#committer.committed
    if (revision > latest) throw future(revision, latest)
    if (revision < this.compacted()) throw expired(revision, this.compacted())
  }
}

const lost: ReadonlySet<StoreError['reason']> = new Set(['AlreadyExists', 'Conflict'])

function expired(revision: Revision, bound: Revision): StoreError {
  return new StoreError('Expired', `revision ${revision} was compacted: history begins at ${bound}`)
}

function future(revision: Revision, latest: Revision): StoreError {
  return new StoreError('Future', `revision ${revision} is not there yet: the latest is ${latest}`)
}
