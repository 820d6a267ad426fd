/**
 * The SQLite that newer Nodes have built in, behind the dialect that Knex has for the package `sqlite3`.
 *
 * Its statements run on the thread of the event loop: a commit waits for the disk there. It serves where the package is not built.
 */
import type { Knex, knex } from 'knex'
import type { SqlValue } from '../sql/statement.ts'

/** The part of `node:sqlite` that is used here. */
interface BuiltInSqlite {
  readonly DatabaseSync: new (filename: string) => BuiltInDatabase
}

interface BuiltInDatabase {
  prepare(sql: string): { all(...bindings: readonly SqlValue[]): readonly unknown[] }
  exec(sql: string): void
  close(): void
}

/** What Knex asks of a dialect's client, as far as it differs here. */
interface DialectClient {
  acquireRawConnection(): Promise<unknown>
  destroyRawConnection(connection: unknown): Promise<void>
}

type DialectClass = new (config: Knex.Config) => DialectClient

/** How long a locked database is waited for, as the package does it. */
const patienceMs = 1000

/** The module of this Node; undefined if it has none. */
export function builtInSqlite(): BuiltInSqlite | undefined {
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown }
  return getBuiltinModule?.('node:sqlite') as BuiltInSqlite | undefined
}

/** A client for Knex that has the dialect of SQLite and the built-in module as its driver. */
export function builtInClient(connect: typeof knex, sqlite: BuiltInSqlite): typeof Knex.Client {
  // Without a connection Knex loads no driver.
  const { client } = connect({ client: 'sqlite3', useNullAsDefault: true })
  const Dialect = (client as object).constructor as DialectClass
  class BuiltInClient extends Dialect {
    declare readonly connectionSettings: { readonly filename: string }

    _driver(): BuiltInSqlite {
      return sqlite
    }

    override async acquireRawConnection(): Promise<BuiltInDatabase> {
      return named(() => {
        const database = new sqlite.DatabaseSync(this.connectionSettings.filename)
        database.exec(`PRAGMA busy_timeout = ${patienceMs}`)
        return database
      })
    }

    override async destroyRawConnection(database: BuiltInDatabase): Promise<void> {
      database.close()
    }

    async _query(
      database: BuiltInDatabase,
      query: { readonly sql: string; readonly bindings?: readonly SqlValue[]; response?: unknown },
    ): Promise<unknown> {
      query.response = named(() => database.prepare(query.sql).all(...(query.bindings ?? [])))
      return query
    }
  }
  return BuiltInClient as unknown as typeof Knex.Client
}

/** Runs it; errors get the names that the package gives them. */
function named<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    const { errcode, message } = error as { readonly errcode?: number; readonly message: string }
    const code = errcode === undefined ? undefined : errorNames[errcode & 0xff]
    if (code === undefined) throw error
    const text = `SQLITE_${code}: ${message}`
    throw Object.assign(new Error(text, { cause: error }), {
      code: `SQLITE_${code}`,
      errno: errcode,
    })
  }
}

/** By the primary result code of SQLite. */
const errorNames: Readonly<Record<number, string>> = {
  1: 'ERROR',
  2: 'INTERNAL',
  3: 'PERM',
  4: 'ABORT',
  5: 'BUSY',
  6: 'LOCKED',
  7: 'NOMEM',
  8: 'READONLY',
  9: 'INTERRUPT',
  10: 'IOERR',
  11: 'CORRUPT',
  12: 'NOTFOUND',
  13: 'FULL',
  14: 'CANTOPEN',
  15: 'PROTOCOL',
  17: 'SCHEMA',
  18: 'TOOBIG',
  19: 'CONSTRAINT',
  20: 'MISMATCH',
  21: 'MISUSE',
  22: 'NOLFS',
  23: 'AUTH',
  25: 'RANGE',
  26: 'NOTADB',
}
