/** Digests: what tells that a text, a file or the generator is as it was. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The first 16 hex digits of the SHA-256 of a text or of bytes. */
export function digest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/**
 * The digest of every JavaScript file under a folder of the built generator. Where the sources are there too, a built
 * file whose source was removed does not count.
 */
export async function digestOfCode(folder: string, sources: string): Promise<string> {
  const found = await readdir(folder, { recursive: true })
  const files = found.filter((path) => path.endsWith('.js')).sort()
  const current = existsSync(sources)
    ? files.filter((path) => existsSync(join(sources, path.replace(/js$/, 'ts'))))
    : files
  const texts = current.map((path) => readFileSync(join(folder, path), 'utf8'))
  return digest(texts.map((text, i) => `${current[i]}\n${text}`).join('\n'))
}
