import { writePrivateFile } from '../../daemons/private-file.ts'
import { type OrchconfigTarget, orchconfigText } from '../../runtime/client/client.ts'

/**
 * Writes the file that clients read to find a server, for its owner's eyes only. It appears whole or not at all, and
 * replaces an older one.
 */
export function writeOrchconfig(file: string, connection: OrchconfigTarget): Promise<void> {
  return writePrivateFile(file, orchconfigText(connection))
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
