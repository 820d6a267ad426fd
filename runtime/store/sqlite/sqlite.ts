import { open, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../../kernel/async/clock.ts'
import type { LogStore } from '../log-store.ts'
import type { Revision } from '../store.ts'
import { Connection, type DriverError, type Query } from './connection.ts'
import { lockFile } from './file-lock.ts'
import { createSingleOwnerStore } from './single-owner-store.ts'
import { sqliteDialect, storeFormat } from './statements.ts'

export interface SqliteStoreOptions {
  /** A path, or `:memory:` for a store that lives as long as it is open. The file is created if it is not there. */
  readonly filename: string
  readonly clock: Clock
  /** The revision after which the history of a store that is new begins. Default 0. */
  readonly startRevision?: Revision
  /** How long `run` keeps history. Default 300,000. */
  readonly retentionMs?: number
  /** How often `run` compacts. Default 60,000. */
  readonly compactionIntervalMs?: number
  /** Most bytes of one value. Default 1.5 MiB. */
  readonly maxValueBytes?: number
  /** Told when a compaction failed; `run` goes on. */
  readonly onCompactionFailure?: (error: unknown) => void
}

/**
 * Opens a store on one SQLite file, which this process then owns until the store is closed or the process ends. Fails if
 * another process owns it, or if it is not a store.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<LogStore> {
  const { filename } = options
  if (filename === ':memory:') return openStore(filename, options, [])
  try {
    const file = await realFile(filename)
    const ownership = await lockFile(file)
    return await openStore(file, options, [ownership])
  } catch (error) {
    if (!isDriverError(error)) throw error
    throw new Error(`${filename}: cannot be opened as a store: ${error.code}`, { cause: error })
  }
}

async function openStore(
  filename: string,
  options: SqliteStoreOptions,
  held: readonly { close(): Promise<void> }[],
): Promise<LogStore> {
  const {
    clock,
    retentionMs: keepMs = 300_000,
    compactionIntervalMs: compactEveryMs = 60_000,
    onCompactionFailure: compactionFailed,
  } = options
  const resources = [...held]
  try {
    const database = await Connection.open({
      client: 'sqlite3',
      connection: { filename },
      useNullAsDefault: true,
    })
    resources.unshift(database)
    await database.run('write', (query) =>
      prepareSchema(filename, options.startRevision ?? 0, query),
    )
    const failed = compactionFailed ?? (() => {})
    const compaction = { clock, retentionMs: keepMs, intervalMs: compactEveryMs, onFailure: failed }
    return await createSingleOwnerStore({
      database,
      dialect: sqliteDialect,
      compaction,
      closeables: resources,
      ...(options.maxValueBytes !== undefined && { maxValueBytes: options.maxValueBytes }),
    })
  } catch (error) {
    for (const resource of resources) await resource.close()
    throw error
  }
}

async function prepareSchema(filename: string, origin: Revision, query: Query): Promise<void> {
  const tables = await query("SELECT name FROM sqlite_master WHERE type = 'table'")
  const names = tables.map((row) => row.name)
  if (names.length > 0 && !names.includes('meta')) {
    throw new Error(`${filename}: is a database, but not a store`)
  }
  for (const statement of sqliteDialect.pragmas) await query(statement)
  for (const statement of sqliteDialect.schema) await query(statement)
  const [found] = await query("SELECT value FROM meta WHERE name = 'format'")
  if (found?.value === storeFormat)
    return names.length > 0 ? undefined : startHistory(origin, query)
  throw new Error(
    `${filename}: has store format ${found?.value}, this program knows ${storeFormat}`,
  )
}

/** Begins the history of a new store: everything before is as good as compacted. */
async function startHistory(origin: Revision, query: Query): Promise<void> {
  for (const name of ['compact', 'trimmed']) {
    const { sql, bindings } = sqliteDialect.setMeta(name, String(origin))
    await query(sql, bindings)
  }
}

/** The file's real path, so that two names for it meet at one lock. Creates it, for its owner's eyes only. */
async function realFile(filename: string): Promise<string> {
  const directory = await realpath(dirname(filename)).catch((error: unknown) => {
    throw new Error(`${filename}: its directory is not there`, { cause: error })
  })
  const handle = await open(join(directory, basename(filename)), 'a', 0o600)
  await handle.close()
  return realpath(join(directory, basename(filename)))
}

function isDriverError(error: unknown): error is DriverError & { readonly code: string } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')
}
