import { OperatorError } from '../../kernel/errors/operator-error.ts'
import type { StoreOptions } from '../driver.ts'
import type { LogStore } from '../log-store.ts'
import { retentionOf } from '../retention.ts'
import { Connection, type DriverError } from './connection.ts'
import { checkDamage } from './damage.ts'
import { type DatabaseFile, takeFile } from './database-file.ts'
import { applyPragmas, migrate } from './schema.ts'
import { createSingleOwnerStore } from './single-owner-store.ts'
import { Statements } from './statements.ts'
import { LostWritesError, lostWrites } from './write-ahead-log.ts'

/** Where a store is, and how it begins. */
export interface SqliteStoreOptions extends StoreOptions {
  /** A path, or `:memory:` for a store that lives as long as it is open. The file is created if it is not there. */
  readonly filename: string
}

/** Of pages as large as a file's, objects of 2 KiB would fill half: one goes into each. */
const memoryPageBytes = 8192

/**
 * Opens a store on one SQLite file, which this process then owns until the store is closed or the process ends. A file that may not
 * be written is read from a copy: every write is refused, and the check of the store fails.
 *
 * @throws Error if another process owns the file, if it is not a store, or if its format is of a later version.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<LogStore> {
  const { filename } = options
  if (filename === ':memory:') return openStore(filename, options)
  try {
    const file = await takeFile(filename)
    try {
      const lost = await lostWrites(file.path)
      if (lost !== undefined) throw new LostWritesError(filename, lost)
      return await openStore(file.path, options, file)
    } catch (error) {
      await file.abandon()
      throw error
    }
  } catch (error) {
    if (!isDriverError(error)) throw error
    if (error.code === 'SQLITE_BUSY')
      throw new OperatorError(ownedElsewhere(filename), { cause: error })
    const remedy = error.code === 'SQLITE_CORRUPT' ? ': restore it from a copy' : ''
    throw new OperatorError(`${filename}: cannot be opened as a store: ${error.code}${remedy}`, {
      cause: error,
    })
  }
}

/** The database itself is locked as well as what stands beside it: the file may be there under a name that is mounted. */
function ownedElsewhere(filename: string): string {
  return `${filename}: another process owns this file, perhaps under another name`
}

async function openStore(
  filename: string,
  options: SqliteStoreOptions,
  file?: DatabaseFile,
): Promise<LogStore> {
  const { maxValueBytes, onCommit } = options
  if (file?.readOnly) options.onReadOnly?.(file.readOnly)
  const connection = await Connection.open(filename)
  try {
    const statements = new Statements(connection.knex)
    await connection.run('write', async (query) => {
      await query('PRAGMA locking_mode = EXCLUSIVE')
      await applyPragmas(query, file === undefined ? memoryPageBytes : undefined)
      if (options.erase) await query('PRAGMA secure_delete = ON')
      const isNew = await migrate(filename, connection.knex, query)
      if (!isNew && file) await checkDamage(file.bytes, statements, query)
    })
    return await createSingleOwnerStore({
      connection,
      statements,
      retention: retentionOf(options),
      closeables: file === undefined ? [connection] : [connection, file.lock],
      ...(maxValueBytes !== undefined && { maxValueBytes }),
      ...(onCommit && { onCommit }),
      ...(file?.readOnly && { readOnly: file.readOnly }),
      ...(file !== undefined && !file.readOnly && { file: file.path }),
    })
  } catch (error) {
    await connection.close()
    throw error
  }
}

function isDriverError(error: unknown): error is DriverError & { readonly code: string } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')
}
