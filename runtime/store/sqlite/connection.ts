/**
 * One connection to a database, through Knex, one statement at a time.
 *
 * The sqlite3 driver lets un-awaited statements overtake each other without an error, so at most one is ever under way.
 * Jobs take turns by lane: a write batch, a read, a slice of maintenance, and again.
 */

import type { Knex, knex } from 'knex'
import { errorText } from '../../kernel/errors/error-text.ts'
import { StoreError } from '../errors.ts'
import type { Row, Statement } from '../sql/statement.ts'
import { KeptStatements, type PreparingDatabase } from './kept-statements.ts'

/** Sends one statement; gives its rows. One that is `kept` is prepared once for the connection. */
export type Query = (
  statement: (Statement & { readonly kept?: boolean }) | string,
) => Promise<readonly Row[]>

const lanes = ['write', 'read', 'maintenance'] as const
/** What jobs are for: each lane has its turn. */
export type JobLane = (typeof lanes)[number]

/** Thrown by Knex and the driver: `code` is the driver's name of the error. */
export interface DriverError extends Error {
  readonly code?: string
}

/** The part of a Knex client that lives below its typed surface. */
interface Client {
  acquireConnection(): Promise<unknown>
  releaseConnection(connection: unknown): Promise<void>
  query(connection: unknown, query: Statement): Promise<{ readonly response: readonly Row[] }>
}

/** A connection that is this object's alone until it is closed. */
export class Connection {
  /** For building statements. What it builds is sent by `run`, never by itself. */
  readonly knex: Knex
  readonly #client: Client
  readonly #connection: unknown
  readonly #kept: KeptStatements | undefined
  readonly #waiting: Readonly<Record<JobLane, (() => Promise<void>)[]>> = {
    write: [],
    read: [],
    maintenance: [],
  }
  #turn = 0
  #running: Promise<void> | undefined
  #closed = false

  private constructor(knex: Knex, connection: unknown, keeps: boolean) {
    this.knex = knex
    this.#client = knex.client as Client
    this.#connection = connection
    if (keeps) this.#kept = new KeptStatements(connection as PreparingDatabase)
  }

  /** Connects. Knex and the driver are loaded here and not before: they cost more than all else at start. */
  static async open(filename: string): Promise<Connection> {
    const missing = await import('sqlite3').then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    const { default: connect } = await import('knex')
    const knex = connect({
      client: missing === undefined ? 'sqlite3' : await builtIn(connect, missing.error),
      connection: { filename },
      useNullAsDefault: true,
      compileSqlOnError: false,
      pool: { min: 1, max: 1 },
    })
    try {
      const connection = await (knex.client as Client).acquireConnection()
      return new Connection(knex, connection, missing === undefined)
    } catch (error) {
      await knex.destroy()
      throw error
    }
  }

  /** Runs `job` when its lane's turn comes; no other job has the connection meanwhile. */
  run<T>(lane: JobLane, job: (query: Query) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreError('Closed', 'the store is closed'))
    return new Promise((resolve, reject) => {
      const started = async () => job(this.#query)
      this.#waiting[lane].push(() => started().then(resolve, reject))
      this.#running ??= this.#work()
    })
  }

  /** Finishes the jobs under way and those that wait, then disconnects. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#running
    await this.#kept?.close()
    await this.#client.releaseConnection(this.#connection)
    await this.knex.destroy()
  }

  readonly #query: Query = async (statement) => {
    const query = typeof statement === 'string' ? { sql: statement, bindings: [] } : statement
    if ('kept' in query && query.kept && this.#kept) return this.#kept.run(query)
    const { response } = await this.#client.query(this.#connection, { ...query })
    return response
  }

  async #work(): Promise<void> {
    await undefined
    for (let job = this.#next(); job !== undefined; job = this.#next()) await job()
    this.#running = undefined
  }

  #next(): (() => Promise<void>) | undefined {
    for (let step = 0; step < lanes.length; step++) {
      const turn = (this.#turn + step) % lanes.length
      const job = this.#waiting[lanes[turn] as JobLane].shift()
      if (job === undefined) continue
      this.#turn = (turn + 1) % lanes.length
      return job
    }
    return undefined
  }
}

/** The SQLite that is built into Node, where the package is not built. */
async function builtIn(connect: typeof knex, missing: unknown): Promise<typeof Knex.Client> {
  const { builtInClient, builtInSqlite } = await import('./built-in-driver.ts')
  const sqlite = builtInSqlite()
  return sqlite === undefined ? refuseDriver(missing) : builtInClient(connect, sqlite)
}

/** Says what to do where the driver, which is native, is not installed. */
function refuseDriver(error: unknown): never {
  const [reason = ''] = errorText(error).split('\n')
  const message = `objects cannot be kept in a file without the SQLite driver: ${reason}`
  throw new Error(
    `${message}\nrun npm install sqlite3, start with Node 22.13 or later, which has one built in, or keep them in memory`,
    { cause: error },
  )
}
