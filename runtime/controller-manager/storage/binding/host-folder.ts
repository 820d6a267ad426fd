/** Folders of this machine that stand for volumes, for development on one machine only. */
import { mkdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { errorText } from '../../../kernel/errors/error-text.ts'

const root = '/tmp'
const base = `${root}/hostpath_pv`

/** Where the folder of a claim is. @throws RangeError for a uid that is no name of a folder. */
export function folderOf(uid: string): string {
  if (!/^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/.test(uid)) {
    throw new RangeError(`uid ${JSON.stringify(uid)}: expected letters, digits and hyphens`)
  }
  return join(base, uid)
}

/** Makes the folder, unless it is there. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o750 })
}

/** What keeps a folder from being removed, whichever it is: only those of one place are; undefined if nothing does. */
export function folderProblem(path: string): string | undefined {
  return /\/tmp\/./s.test(path)
    ? undefined
    : `host_path deleter only supports /tmp/.+ but received provided ${path}`
}

/**
 * Removes a folder, if it really is beneath `/tmp`: a link to elsewhere is not followed. Gives what went wrong. A folder elsewhere, and
 * one that is not there, is none to remove.
 */
export async function removeFolder(path: string): Promise<string | undefined> {
  try {
    const parent = await realpath(dirname(path))
    const real = join(parent, basename(path))
    if (!real.startsWith(`${await realpath(root)}${sep}`)) return undefined
    await rm(real, { recursive: true, force: true })
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return errorText(error)
  }
}
