import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type OrchconfigTarget, orchconfigText } from '../../runtime/client/client.ts'

/**
 * Writes the file that clients read to find a server, for its owner's eyes only. It appears whole or not at all, and
 * replaces an older one.
 */
export async function writeOrchconfig(file: string, connection: OrchconfigTarget): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}.tmp`
  try {
    await writeFile(fresh, orchconfigText(connection), { mode: 0o600, flag: 'wx' })
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
