/** Files that a run leaves for later ones: what is not whole, or of another maker, is not there. */
import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { digest } from '../print/digest.ts'

/** The content of a file that was written under the same mark, a word; undefined if a byte of it is another one. */
export function readCacheFile(file: string, mark: string): Buffer | undefined {
  const bytes = bytesOf(file)
  const end = bytes?.indexOf('\n') ?? -1
  if (bytes === undefined || end < 0) return undefined
  const content = bytes.subarray(end + 1)
  return bytes.toString('latin1', 0, end) === headOf(mark, content) ? content : undefined
}

/**
 * Writes aside and then renames: a run beside this one never reads half a file. What cannot be written, to a place that is
 * read-only say, is done without.
 */
export async function writeCacheFile(
  file: string,
  mark: string,
  content: string | Uint8Array,
): Promise<void> {
  const aside = `${file}.${process.pid}`
  const bytes = Buffer.concat([Buffer.from(`${headOf(mark, content)}\n`), Buffer.from(content)])
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(aside, bytes)
    await rename(aside, file)
  } catch {}
}

function headOf(mark: string, content: string | Uint8Array): string {
  return `// ${mark} ${digest(content)}`
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
