/** What folders take on disk. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Files that are counted of a folder; what is beyond them is not. */
const mostFiles = 20_000
/** Milliseconds that a size is believed. */
const keptMs = 60_000

/** Sizes of folders, each of which is looked at once in a minute. */
export class FolderSizes {
  readonly #known = new Map<string, { readonly at: number; readonly bytes: Promise<number> }>()

  bytesOf(folder: string, at: number): Promise<number> {
    const known = this.#known.get(folder)
    if (known !== undefined && at - known.at < keptMs) return known.bytes
    const bytes = folderSize(folder)
    this.#known.set(folder, { at, bytes })
    return bytes
  }

  keepOnly(folders: ReadonlySet<string>): void {
    for (const folder of this.#known.keys()) if (!folders.has(folder)) this.#known.delete(folder)
  }
}

/** The size of what is in a folder and on the same file system; 0 for one that is not there. No link is followed, and what has a path that is too long for the system does not count. */
export async function folderSize(root: string): Promise<number> {
  const start = await lstat(root).catch(() => undefined)
  const folders = start?.isDirectory() ? [root] : []
  let bytes = 0
  let files = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const facts = await lstat(path).catch(() => undefined)
      if (facts === undefined || facts.dev !== start?.dev) continue
      files += 1
      if (files > mostFiles) return bytes
      bytes += facts.blocks * 512
      if (facts.isDirectory()) folders.push(path)
    }
  }
  return bytes
}
