/** What folders take on disk. */
import { execFile } from 'node:child_process'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder of more files is counted by the program `du`, which takes a tenth of the time; where there is none, what is beyond so many files is not counted. */
const fewFiles = 2_000
const mostFiles = 20_000
const mostCountMs = 300_000
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

/** The size of what is in a folder and on the same file system; 0 for one that is not there. No link is followed. */
export async function folderSize(root: string): Promise<number> {
  const few = await countedSize(root, fewFiles)
  if (few.isAll) return few.bytes
  return (await sizeByProgram(root)) ?? (await countedSize(root, mostFiles)).bytes
}

/** Undefined where the program does not say. Some of what it cannot reach does not keep it from telling the rest. */
function sizeByProgram(root: string): Promise<number | undefined> {
  const options = { timeout: mostCountMs, encoding: 'utf8' } as const
  return new Promise((resolve) =>
    execFile('du', ['-s', '-x', '-k', '--', root], options, (_, text) => {
      const size = /^(\d+)\s/.exec(text)?.[1]
      resolve(size === undefined ? undefined : Number(size) * 1024)
    }),
  )
}

async function countedSize(
  root: string,
  most: number,
): Promise<{ readonly bytes: number; readonly isAll: boolean }> {
  const start = await lstat(root).catch(() => undefined)
  const folders = start?.isDirectory() ? [root] : []
  let bytes = 0
  let files = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const facts = await lstat(path).catch(errorCode)
      if (facts === 'ENAMETOOLONG') return { bytes, isAll: false }
      if (typeof facts === 'string' || facts.dev !== start?.dev) continue
      files += 1
      if (files > most) return { bytes, isAll: false }
      bytes += facts.blocks * 512
      if (facts.isDirectory()) folders.push(path)
    }
  }
  return { bytes, isAll: true }
}

function errorCode(error: NodeJS.ErrnoException): string {
  return error.code ?? ''
}
