/**
 * One owner per database file.
 *
 * A second, tiny SQLite file is held in BEGIN EXCLUSIVE for the life of the process. The lock is portable, and the kernel
 * releases it when the process dies, however it dies.
 */
import { Connection, type DriverError } from './connection.ts'

/** Held until it is closed. */
export interface FileLock {
  close(): Promise<void>
}

/** The name of the lock of a file. */
export function ownerFile(filename: string): string {
  return `${filename}-owner`
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
    if ((error as DriverError).code !== 'SQLITE_BUSY') throw error
    throw new Error(`${filename}: another process owns this file (it holds ${lock})`, {
      cause: error,
    })
  }
}
