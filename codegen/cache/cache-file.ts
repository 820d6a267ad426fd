/** Files of the cache: one that is incomplete, or written under another mark, counts as absent. */
import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

/** The content of a file that was written under the same mark (one word); undefined if any byte of it changed. */
export function readCacheFile(file: string, mark: string): Buffer | undefined {
  const bytes = bytesOf(file)
  const end = bytes?.indexOf('\n') ?? -1
  if (bytes === undefined || end < 0) return undefined
  const content = bytes.subarray(end + 1)
  return bytes.toString('latin1', 0, end) === headOf(mark, content) ? content : undefined
}

/**
 * Writes to a temporary name and renames, so that a concurrent run never reads half a file. Failures are ignored: on a
 * read-only disk there is no cache.
 */
export async function writeCacheFile(
  file: string,
  mark: string,
  content: string | Uint8Array,
): Promise<void> {
  const aside = `${file}.${process.pid}`
  const own = Buffer.from(content)
  const bytes = Buffer.concat([Buffer.from(`${headOf(mark, own)}\n`), own])
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(aside, bytes)
    await rename(aside, file)
  } catch {}
}

/** The first line of a file: its mark and a checksum of its content, which takes a third of the time of a digest and no library for it. */
function headOf(mark: string, content: Uint8Array): string {
  return `// ${mark} ${content.length} ${crc32(content).toString(16).padStart(8, '0')}`
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
