import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A name for what stands in some files and folders: it changes with every byte, name or place of theirs. */
export function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) {
    hash.update(`\0${path}\0`)
    if (!statSync(path).isDirectory()) hash.update(readFileSync(path))
    else for (const file of filesUnder(path)) hash.update(`\0${file}\0`).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 32)
}

/** Every file of a folder, at any depth. */
function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ya?ml|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
