/** Files of a folder that change together: they stand in a folder of their own, to which a link leads that is replaced at once. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** A file by its path below the folder. */
export type Files = ReadonlyMap<string, { readonly bytes: Buffer; readonly mode: number }>

/** The link that is replaced. */
const dataLink = '..data'

/** Makes the folder hold these files. @returns false if it did already. */
export function writeFiles(folder: string, files: Files): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const former = linkOf(join(folder, dataLink))
  if (former !== undefined && holds(join(folder, former), files)) return false
  const fresh = mkdtempSync(join(folder, '..data-'))
  chmodSync(fresh, 0o755)
  for (const [path, { bytes, mode }] of files) {
    const file = join(fresh, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
    chmodSync(file, mode)
  }
  const link = join(folder, `${dataLink}.new`)
  rmSync(link, { force: true })
  symlinkSync(fresh.slice(folder.length + 1), link)
  renameSync(link, join(folder, dataLink))
  const tops = new Set([...files.keys()].map((path) => path.split('/')[0] as string))
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('..') && !tops.has(name)) rmSync(join(folder, name))
  }
  for (const name of tops) {
    if (linkOf(join(folder, name)) === undefined)
      symlinkSync(`${dataLink}/${name}`, join(folder, name))
  }
  if (former !== undefined) rmSync(join(folder, former), { recursive: true, force: true })
  return true
}

function linkOf(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    ? readlinkSync(path)
    : undefined
}

function holds(folder: string, files: Files): boolean {
  try {
    const known = readdirSync(folder, { recursive: true, withFileTypes: true })
    if (known.filter((entry) => entry.isFile()).length !== files.size) return false
    return [...files].every(([path, { bytes }]) => readFileSync(join(folder, path)).equals(bytes))
  } catch {
    return false
  }
}
