/**
 * A store on a database that any number of servers share. What this one knows of it in memory is how far it has followed the log; each
 * question about the present is one to the database.
 */
import { randomBytes } from 'node:crypto'
import { keepAlive, pause } from '../../kernel/async/clock.ts'
import { OperatorError } from '../../kernel/errors/operator-error.ts'
import type { Entry, ListOptions, Page, Revision } from '../contract.ts'
import type { StoreOptions } from '../driver.ts'
import { StoreError } from '../errors.ts'
import type { Change, Write } from '../log-store.ts'
import { compactedError, futureError } from '../refusals.ts'
import { Retention, type RetentionOptions } from '../retention.ts'
import { SharedReads } from '../shared-reads.ts'
import { LogReader, type Query } from '../sql/log-reader.ts'
import { LogStatements } from '../sql/log-statements.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Row } from '../sql/statement.ts'
import { Committer } from './committer.ts'
import { Compactor } from './compaction.ts'
import type { Database } from './database.ts'
import { unavailable } from './database-error.ts'
import { Listener, ListenerEnd } from './listener.ts'
import { LogTail } from './log-tail.ts'
import { announcedSession } from './presence.ts'
import type { Session } from './session.ts'
import { decodeValue, storeId, valueColumns } from './values.ts'
import { WriteSession } from './write-session.ts'

/** Between two attempts to go on after a read failed. */
const retryMs = 250

/** What a store that is shared stands on. */
export interface SharedStoreOptions
  extends Pick<StoreOptions, 'clock' | 'maxValueBytes' | 'onAway' | 'onBack'> {
  readonly database: Database
  readonly retention: RetentionOptions
}

/** How far the log goes, and from where on history is complete. */
export interface Head {
  readonly revision: Revision
  readonly bound: Revision
}

/** What a store knows when it begins. */
export interface InitialState {
  readonly id: string
  readonly head: Head
  /** The change at the head, if the log still has it. */
  readonly last: Change | undefined
}

/** Takes over a database whose tables are there. */
export async function createSharedStore(options: SharedStoreOptions): Promise<SharedStore> {
  const statements = new LogStatements(options.database.knex, valueColumns)
  const reader = new LogReader(statements, decodeValue)
  const state = await initialState(options.database, reader)
  const store = new SharedStore(options, { statements, reader }, state)
  try {
    await store.start()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function initialState(database: Database, reader: LogReader): Promise<InitialState> {
  return database.snapshot(async (query) => {
    const [row] = await query({ sql: `SELECT ${storeId} AS store, ${headColumns}`, bindings: [] })
    const head = headOf(row)
    const [last] = await reader.changes(head.revision - 1, 1, query)
    return { id: String(row?.store), head, last }
  })
}

const headColumns = 'rev, bound FROM head, compaction'

/** What reads the tables, and what says how. */
interface LogTables {
  readonly statements: LogStatements
  readonly reader: LogReader
}

/** The store of one of several servers. */
export class SharedStore extends SqlStore {
  readonly id: string
  readonly #options: SharedStoreOptions
  readonly #database: Database
  readonly #tail: LogTail
  readonly #heads: SharedReads<Head>
  readonly #committer: Committer
  readonly #compactor: Compactor
  readonly #listener: Listener
  readonly #retention: Retention
  /** Reads with a statement that each connection prepares once. */
  readonly #readEntry: Query
  /** An open store keeps the process alive, also while its database is away. */
  readonly #release = keepAlive()
  #closing: Promise<void> | undefined

  constructor(
    options: SharedStoreOptions,
    { statements, reader }: LogTables,
    { id, head, last }: InitialState,
  ) {
    super(reader, options.maxValueBytes)
    const { database, clock } = options
    this.id = id
    this.#options = options
    this.#database = database
    const prepared = (name: string): Query => {
      return ({ sql, bindings }) => database.read({ name, text: sql, values: bindings })
    }
    this.#readEntry = prepared('entry')
    const channel = `orch_${id}`
    this.#retention = new Retention(options.retention)
    this.#compactor = new Compactor(database, statements, head.bound)
    this.#heads = new SharedReads(() => this.#readHead())
    this.#tail = new LogTail({
      position: head.revision,
      last,
      read: (after, limit) => reader.changes(after, limit, prepared('tail')),
      missing: (after) => this.missing(after, prepared('head')),
      publish: (changes) => {
        this.#retention.written(changes)
        this.subscribers.publish(changes)
      },
      onError: (error) => this.#goOn(error),
    })
    this.#committer = new Committer({
      clock,
      where: database.where,
      channel,
      connect: () => WriteSession.open(database),
      base: () => this.#tail.position,
      onCommit: (changes) => this.#tail.committed(changes),
      onFound: (revision) => this.#tail.reached(revision),
    })
    this.#listener = new Listener({
      clock,
      channel,
      connect: () => announcedSession(database),
      heard: (text) => this.#tail.reached(Number(text) || 0),
      look: (session, answerMs) => this.#look(session, answerMs),
      onAway: (why) => options.onAway?.(`the database at ${database.where} is away: ${why}`),
      onBack: () => options.onBack?.(`the database at ${database.where} is back`),
    })
  }

  /** Resolves once the store hears of what others write. */
  async start(): Promise<void> {
    await this.#listener.start()
    this.#listener.ended.catch((error: Error) => this.end(error))
  }

  compactedRevision(): Revision {
    return this.#compactor.bound
  }

  async revision(): Promise<Revision> {
    this.checkOpen()
    return (await this.#heads.latest()).revision
  }

  async check(): Promise<void> {
    this.checkOpen()
    await this.revision()
    const { away } = this.#listener
    if (away !== undefined) throw unavailable(this.#database.where, new Error(away))
    const { refusal } = this.#committer
    if (refusal === undefined) return
    await this.#probe().catch(() => {
      throw refusal
    })
    this.#committer.recovered()
  }

  async get(key: string): Promise<Entry | undefined> {
    this.checkOpen()
    return this.reader.entry(key, this.#readEntry)
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    this.checkOpen()
    return this.read(async (query) => {
      const head = headOf((await query({ sql: `SELECT ${headColumns}`, bindings: [] }))[0])
      this.#known(head)
      if (options.revision !== undefined) this.checkHistory(options.revision, head.revision)
      return this.reader.page(prefix, options, head.revision, query)
    })
  }

  async compact(revision: Revision): Promise<void> {
    const latest = await this.revision()
    if (revision > latest) throw futureError(revision, latest)
    await this.#compactor.compact(revision).catch((error: unknown) => {
      throw unavailable(this.#database.where, error)
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.ended.signal])
    const store = {
      revision: async () => this.#tail.position,
      compact: (revision: Revision) => this.#compactor.compactAlone(revision),
    }
    await this.#retention.run(store, until)
    this.checkFailure()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  protected get published(): Revision {
    return this.#tail.position
  }

  protected commit(write: Write): Promise<Change> {
    return this.#committer.append(write)
  }

  protected read<T>(job: (query: Query) => Promise<T>): Promise<T> {
    return this.#database.snapshot(job)
  }

  protected override async readToFollow<T>(
    job: (query: Query) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const until = AbortSignal.any([signal, this.ended.signal])
    for (;;) {
      try {
        return await this.read(job)
      } catch (error) {
        if (!passes(error) || until.aborted) throw error
        await pause(this.#options.clock, retryMs, until)
      }
    }
  }

  /** Compaction takes rows only after it has raised the bound. */
  protected async missing(after: Revision, query: Query): Promise<never> {
    const { bound } = headOf((await query({ sql: `SELECT ${headColumns}`, bindings: [] }))[0])
    this.#compactor.raised(bound)
    if (after < bound) throw compactedError(after, bound)
    throw new Error(
      `the database at ${this.#database.where} is damaged: its log has no revision ${after + 1}; restore it from a copy`,
    )
  }

  async #close(): Promise<void> {
    const closed = new StoreError('Closed', 'the store is closed')
    this.#committer.stop(closed)
    await this.#committer.idle()
    this.end(closed)
    await this.#listener.close()
    await this.#tail.idle()
    await this.#committer.close()
    await this.#database.close()
    this.#release()
  }

  async #readHead(): Promise<Head> {
    const [row] = await this.#database.read({ name: 'head', text: `SELECT ${headColumns}` })
    const head = headOf(row)
    this.#known(head)
    return head
  }

  #known({ revision, bound }: Head): void {
    this.#compactor.raised(bound)
    this.#tail.reached(revision)
  }

  /** What the tail could not read it reads when the database is back; where history is gone the store ends. */
  #goOn(error: unknown): void {
    if (!passes(error)) {
      this.end(error instanceof StoreError ? behind(error) : (error as Error))
      return
    }
    const { clock } = this.#options
    const { signal } = this.ended
    void pause(clock, retryMs, signal).then(() => {
      if (!signal.aborted) this.#tail.reached(this.#tail.position)
    })
  }

  async #look(session: Session, answerMs: number): Promise<void> {
    const { position, last } = this.#tail
    const columns = `${headOfH}, ${storeId} AS store, l.key, l.cre, l.prev`
    const text = `SELECT ${columns} FROM head h CROSS JOIN compaction c LEFT JOIN log l ON l.rev = $1`
    const [row] = await session.query({ name: 'look', text, values: [position] }, answerMs)
    this.#checkHistoryIsOurs(row, position, last)
    this.#known(headOf(row))
  }

  /** A database that was restored, or whose standby was behind when it took over, has another past than this server has seen. */
  #checkHistoryIsOurs(row: Row | undefined, position: Revision, last: Change | undefined): void {
    const { where } = this.#database
    if (String(row?.store) !== this.id) {
      throw new ListenerEnd(
        `the database at ${where} has another store than before: this server ends, so that it is started anew`,
      )
    }
    const { revision } = headOf(row)
    if (revision >= position && (last === undefined || isSame(row, last))) return
    throw new ListenerEnd(
      `the database at ${where} went back: it does not have what it had at revision ${position}, and is at ${revision}. It was restored, or a standby that was behind took over. This server ends, so that it is started anew`,
    )
  }

  /** Writes some pages, and takes them back: whether the database can be written. */
  async #probe(): Promise<void> {
    const noise = randomBytes(probeBytes)
    const undone = new Error('undone')
    await this.#database
      .transaction(async (query) => {
        const sql =
          "INSERT INTO log (rev, key, prev, cre, op, bytes, batch) VALUES (-1, '', 0, 0, 0, $1, 0)"
        await query({ sql, bindings: [noise] })
        throw undone
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error
      })
  }
}

const probeBytes = 256 * 1024

const headOfH = 'h.rev AS rev, c.bound AS bound'

/** True if the row is the change, or was compacted. */
function isSame(row: Row | undefined, { key, createRevision, previousRevision }: Change): boolean {
  if (row?.key === null) return true
  const [cre, prev] = [Number(row?.cre), Number(row?.prev)]
  return row?.key === key && cre === createRevision && prev === previousRevision
}

function headOf(row: Row | undefined): Head {
  return { revision: Number(row?.rev), bound: Number(row?.bound) }
}

/** True for an error that is over once the database is back. */
function passes(error: unknown): boolean {
  return error instanceof StoreError && error.reason === 'Unavailable'
}

/** Why a store ends that could not read what it had to follow. */
function behind(error: StoreError): Error {
  return new OperatorError(
    `this server was away for longer than history is kept (${error.message}): it ends, so that it is started anew`,
    { cause: error },
  )
}
