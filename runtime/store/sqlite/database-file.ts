import { open, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../../kernel/errors/operator-error.ts'
import type { StoreError } from '../errors.ts'
import { type FileLock, lockFile, ownerFile } from './file-lock.ts'
import { copyDatabase, unwritable } from './read-only-file.ts'

/** A database file that this process owns. */
export interface DatabaseFile {
  /** Its real path: two names for a file meet at one lock. */
  readonly path: string
  readonly bytes: number
  readonly lock: FileLock
  /** Why it cannot be written; then it is a copy, in which what is there can be read. */
  readonly readOnly?: StoreError
  /** Gives the file up, and removes what was not there before. */
  abandon(): Promise<void>
}

/**
 * Takes a database file, and makes it if there is none, for its owner's eyes only. Of one that cannot be written a copy is taken.
 *
 * @throws Error if another process owns it, under whatever name, or if it was emptied.
 */
export async function takeFile(filename: string): Promise<DatabaseFile> {
  const path = await realPath(filename)
  const [found, owned] = await Promise.all([sizeAndNames(path), sizeAndNames(ownerFile(path))])
  if (found !== undefined && found.names > 1)
    throw new OperatorError(severalNames(filename, found.names))
  const readOnly = found && found.bytes > 0 ? await unwritable(path) : undefined
  if (found !== undefined && readOnly !== undefined) {
    const copy = await copyDatabase(path, readOnly)
    return { path: copy.path, bytes: found.bytes, lock: copy, readOnly, abandon: copy.close }
  }
  const lock = await lockFile(path)
  const created = [...(found ? [] : ['', '-wal', '-shm']), ...(owned ? [] : ['-owner'])]
  const abandon = async (): Promise<void> => {
    await lock.close()
    for (const suffix of created) await rm(`${path}${suffix}`, { force: true })
  }
  try {
    if (found?.bytes === 0 && owned !== undefined) throw new OperatorError(emptied(filename))
    const handle = await open(path, 'a', 0o600)
    await handle.close()
    return { path, bytes: found?.bytes ?? 0, lock, abandon }
  } catch (error) {
    await abandon()
    throw error
  }
}

/** Why a file that was emptied is not taken; undefined for one that may be new. */
export function emptied(filename: string): string {
  return `${filename}: is empty, but was a store before: restore it from a copy, or remove ${filename}-owner to begin with nothing`
}

function severalNames(filename: string, names: number): string {
  return `${filename}: the file has ${names} names (hard links), and what was written last stands beside one of them only: remove the others, or start on a copy`
}

/** The real path of a file, which need not be there. */
async function realPath(filename: string): Promise<string> {
  const directory = await realpath(dirname(filename)).catch((error: unknown) => {
    throw new OperatorError(`${filename}: its directory is not there`, { cause: error })
  })
  const path = join(directory, basename(filename))
  return realpath(path).catch(() => path)
}

async function sizeAndNames(
  path: string,
): Promise<{ readonly bytes: number; readonly names: number } | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && { bytes: found.size, names: found.nlink }
}
