import { access, chmod, constants, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StoreError } from '../errors.ts'
import { shareFile } from './file-lock.ts'

/** What the operator can do where a file or its folder may not be written. */
const remedies: Readonly<Record<string, string>> = {
  EROFS: 'its disk is mounted read-only: mount it for writing, and start again',
  EACCES: 'its rights do not allow it: change them, and start again',
  EPERM: 'it is protected from being changed: lift that, and start again',
}

/** Why a store cannot be written; undefined if its file and the folder, where its log stands, can be. */
export async function unwritable(path: string): Promise<StoreError | undefined> {
  for (const place of [path, dirname(path)]) {
    try {
      await access(place, constants.W_OK)
    } catch (cause) {
      const code = String((cause as NodeJS.ErrnoException).code)
      const text = `the store cannot write: ${code}: ${place} may not be written: ${remedies[code] ?? 'see its disk'}`
      return Object.assign(new StoreError('CannotWrite', text), { cause })
    }
  }
  return undefined
}

/** A copy of a database, for this process alone. */
export interface DatabaseCopy {
  readonly path: string
  /** Removes it. */
  close(): Promise<void>
}

/**
 * Copies a database that cannot be written, with what its log holds: that can be read only by writing it into the pages.
 *
 * @throws Error if a process owns the database, or there is no place for the copy.
 */
export async function copyDatabase(path: string, why: StoreError): Promise<DatabaseCopy> {
  const lock = await shareFile(path)
  try {
    const folder = await mkdtemp(join(tmpdir(), 'store-'))
    const copy = join(folder, 'store.db')
    const close = (): Promise<void> => rm(folder, { recursive: true, force: true })
    try {
      for (const suffix of ['', '-wal']) await copyIfThere(`${path}${suffix}`, `${copy}${suffix}`)
    } catch (cause) {
      await close()
      throw new Error(`${why.message}; nor can it be copied to ${folder}, to be read there`, {
        cause,
      })
    }
    return { path: copy, close }
  } finally {
    await lock?.close()
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await chmod(to, 0o600)
}
