import { existsSync } from 'node:fs'
import { Connection, type DriverError, type Query } from './connection.ts'
import { takeFile } from './database-file.ts'
import { applyPragmas } from './schema.ts'
import { Statements } from './statements.ts'
import { type LostWrites, LostWritesError, lostWrites } from './write-ahead-log.ts'

/** A database that no server has open, for as long as it is held. */
export interface OwnedFile {
  readonly path: string
  readonly connection: Connection
  readonly statements: Statements
  /** True if nothing can be written to it; it is a copy then. */
  readonly readOnly: boolean
  /** What its log had beside what can be read, where going on without that is accepted. */
  readonly lost: LostWrites | undefined
  close(): Promise<void>
}

/**
 * Takes a database that is there, without looking at its tables.
 *
 * @throws Error if there is none, or if a process owns it; LostWritesError if its log lost what was acknowledged, unless that is accepted.
 */
export async function holdFile(file: string, acceptLoss = false): Promise<OwnedFile> {
  if (!existsSync(file)) throw new Error(`${file}: there is no such store`)
  const { path, lock, readOnly } = await takeFile(file)
  try {
    const lost = await lostWrites(path)
    if (lost !== undefined && !acceptLoss) throw new LostWritesError(file, lost)
    const connection = await Connection.open(path)
    const close = async (): Promise<void> => {
      await connection.close()
      await lock.close()
    }
    try {
      await connection.run('write', async (query) => {
        await query('PRAGMA locking_mode = EXCLUSIVE')
        await applyPragmas(query)
      })
      const statements = new Statements(connection.knex)
      return { path, connection, statements, readOnly: readOnly !== undefined, lost, close }
    } catch (error) {
      await connection.close()
      throw error
    }
  } catch (error) {
    await lock.close()
    throw error
  }
}

/** One query after another, each when its turn comes. */
export function queryOf(connection: Connection): Query {
  return (statement) => connection.run('read', (query) => query(statement))
}

/** What is said of an error of the driver: the file, and the driver's name of the error. */
export function fileError(file: string, error: unknown): Error {
  const { code } = error as DriverError
  if (code?.startsWith('SQLITE_') !== true) return error as Error
  return new Error(`${file}: cannot be read as a store: ${code}`, { cause: error })
}
