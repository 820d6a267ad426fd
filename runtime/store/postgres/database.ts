/**
 * The connections to one database, through Knex: a pool for what is read and compacted, and sessions that have one holder.
 *
 * Statements of the hot paths go to the connections themselves, prepared: Knex makes a tenth as many of them in a second.
 */
import type { Knex } from 'knex'
import type { Clock } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { StoreError } from '../errors.ts'
import type { Query } from '../sql/log-reader.ts'
import type { Row } from '../sql/statement.ts'
import {
  type Deadlines,
  type DriverConnection,
  type PostgresStatement,
  send,
} from './connection.ts'
import { isLost, unavailable } from './database-error.ts'
import { toWritable } from './hosts.ts'
import {
  type DatabaseHost,
  nameOf,
  type PostgresSettings,
  readPostgresUrl,
  withoutPassword,
} from './location.ts'
import { Session } from './session.ts'
import { awaitStandbys } from './standbys.ts'

/** How long a connection may take to come, and how long one of the pool may be waited for. */
const connectMs = 5000

/** What an answer may take beyond the time that the database gives a statement. */
const answerMarginMs = 5000

/** The part of a Knex client that lives below its typed surface. */
interface Client {
  acquireConnection(): Promise<PooledConnection>
  releaseConnection(connection: PooledConnection): Promise<void>
  acquireRawConnection(): Promise<DriverConnection>
  /** What the next connection is made with. */
  connectionSettings: object
}

/** Knex drops a connection that has this mark. */
type PooledConnection = DriverConnection & { __knex__disposed?: unknown }

/** One database, and one schema in it. */
export class Database {
  /** For building statements and for migrations. */
  readonly knex: Knex
  readonly settings: PostgresSettings
  /** Where it is, for messages. */
  readonly where: string
  readonly deadlines: Deadlines
  readonly #client: Client

  private constructor(knex: Knex, settings: PostgresSettings, clock: Clock) {
    this.knex = knex
    this.settings = settings
    this.where = nameOf(settings)
    this.deadlines = { clock, answerMs: settings.statementTimeoutMs + answerMarginMs }
    this.#client = knex.client as Client
  }

  /** Connects to nothing yet. Knex and the driver are loaded here and not before. @throws Error that says what is wrong with the URL. */
  static async open(url: string, clock: Clock): Promise<Database> {
    const { default: connect } = await import('knex')
    const settings = readPostgresUrl(url)
    const knex = connect({
      client: 'pg',
      connection: driverSettings(settings),
      searchPath: [settings.schema],
      acquireConnectionTimeout: connectMs * 2,
      compileSqlOnError: false,
      pool: { min: 0, max: settings.poolSize },
      log: { warn() {}, error() {}, deprecate() {}, debug() {} },
    })
    const client = knex.client as Client
    const deadlines = { clock, answerMs: connectMs }
    const one = client.acquireRawConnection.bind(client)
    const connectTo = (host: DatabaseHost): Promise<DriverConnection> => {
      client.connectionSettings = { ...driverSettings(settingsNow(url)), ...host }
      return one()
    }
    const [first] = settings.hosts as [DatabaseHost]
    const writable = toWritable(settings.hosts, deadlines, connectTo)
    const acquire = settings.hosts.length > 1 ? writable : async () => connectTo(first)
    client.acquireRawConnection = async () => confirmed(await acquire(), deadlines)
    return new Database(knex, settings, clock)
  }

  /** A connection that is the caller's alone. @throws DatabaseError */
  async session(): Promise<Session> {
    return new Session(await this.#client.acquireRawConnection(), this.deadlines)
  }

  /**
   * Reads with one statement. A connection that was lost is tried again with another one, once.
   *
   * @throws StoreError `Unavailable`.
   */
  async read(statement: PostgresStatement): Promise<readonly Row[]> {
    return this.#readWith((connection) => send(connection, statement, this.deadlines))
  }

  /** Reads that see one state of the database. @throws StoreError `Unavailable`, and what the job throws. */
  async snapshot<T>(job: (query: Query) => Promise<T>): Promise<T> {
    return this.#readWith((connection) => {
      const query: Query = ({ sql, bindings }) =>
        send(connection, { text: sql, values: bindings }, this.deadlines)
      return inTransaction(query, 'ISOLATION LEVEL REPEATABLE READ READ ONLY', () => job(query))
    })
  }

  /** All of the work, or nothing of it. @throws DatabaseError */
  transaction<T>(job: (query: Query) => Promise<T>): Promise<T> {
    return this.#with((connection) => {
      const query: Query = ({ sql, bindings }) =>
        send(connection, { text: sql, values: bindings }, this.deadlines)
      return inTransaction(query, '', () => job(query))
    })
  }

  async close(): Promise<void> {
    await this.knex.destroy()
  }

  async #readWith<T>(job: (connection: DriverConnection) => Promise<T>): Promise<T> {
    try {
      return await this.#with(job).catch((error: unknown) => {
        if (error instanceof StoreError || !isLost(error)) throw error
        return this.#with(job)
      })
    } catch (error) {
      throw unavailable(this.where, error)
    }
  }

  async #with<T>(job: (connection: DriverConnection) => Promise<T>): Promise<T> {
    const connection = await this.#client.acquireConnection()
    try {
      return await job(connection)
    } catch (error) {
      if (!(error instanceof StoreError) && isLost(error)) connection.__knex__disposed ??= error
      throw error
    } finally {
      await this.#client.releaseConnection(connection)
    }
  }
}

/** What the driver is told of a connection. */
function driverSettings({ connection, statementTimeoutMs }: PostgresSettings): object {
  return {
    ...connection,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  }
}

/** What the URL says now: passwords and certificates stand in files, which are replaced while a server runs. */
function settingsNow(url: string): PostgresSettings {
  try {
    return readPostgresUrl(url)
  } catch (error) {
    throw new Error(`--storage ${withoutPassword(errorText(error))}`, { cause: error })
  }
}

/** The connection, once all that can be read through it is what a standby has, too. */
async function confirmed(
  connection: DriverConnection,
  deadlines: Deadlines,
): Promise<DriverConnection> {
  try {
    await awaitStandbys((statement) => send(connection, statement, deadlines))
    return connection
  } catch (error) {
    await connection.end().catch(() => {})
    throw error
  }
}

async function inTransaction<T>(query: Query, how: string, job: () => Promise<T>): Promise<T> {
  await query({ sql: `BEGIN ${how}`, bindings: [] })
  try {
    const result = await job()
    await query({ sql: 'COMMIT', bindings: [] })
    return result
  } catch (error) {
    // Where the connection is gone there is nothing to take back.
    await query({ sql: 'ROLLBACK', bindings: [] }).catch(() => {})
    throw error
  }
}
