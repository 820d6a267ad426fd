/**
 * One owner per database file.
 *
 * A second, tiny SQLite file is held in BEGIN EXCLUSIVE for the life of the process. The lock is portable, and the kernel
 * releases it when the process dies, however it dies.
 */
import { existsSync } from 'node:fs'
import { Connection, type DriverError } from './connection.ts'

/** Held until it is closed. */
export interface FileLock {
  close(): Promise<void>
}

/** The name of the lock of a file. */
export function ownerFile(filename: string): string {
  return `${filename}-owner`
}

/**
 * Held until it is closed; undefined for a file that never had an owner. Several may share a file that none of them writes.
 *
 * @throws Error if another process owns the file
 */
export async function shareFile(filename: string): Promise<FileLock | undefined> {
  const lock = ownerFile(filename)
  if (!existsSync(lock)) return undefined
  const database = await Connection.open(lock)
  try {
    await database.run('read', async (query) => {
      await query('BEGIN')
      await query('SELECT name FROM sqlite_master')
    })
    return database
  } catch (error) {
    await database.close()
    throw ownedBy(filename, error)
  }
}

/** Fails, after the driver's one second of patience, if another process owns the file. */
export async function lockFile(filename: string): Promise<FileLock> {
  const lock = ownerFile(filename)
  const database = await Connection.open(lock)
  try {
    await database.run('write', async (query) => {
      // Nothing is ever written, so that a full disk is no obstacle.
      await query('PRAGMA journal_mode = MEMORY')
      await query('BEGIN EXCLUSIVE')
    })
    return database
  } catch (error) {
    await database.close()
    throw ownedBy(filename, error)
  }
}

/** What is said of a file that is locked; any other error as it is. */
function ownedBy(filename: string, error: unknown): unknown {
  if ((error as DriverError).code !== 'SQLITE_BUSY') return error
  const text = `${filename}: another process owns this file (it holds ${ownerFile(filename)})`
  return new Error(text, { cause: error })
}
