import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Storage } from '../../runtime/apiserver/apiserver.ts'

/** What `--storage` means: `memory`, or `sqlite:FILE`; undefined for anything else. */
export function storageOf(text: string): Storage | undefined {
  if (text === 'memory') return { kind: 'memory' }
  const file = /^sqlite:(.+)$/s.exec(text)?.[1]
  return file === undefined ? undefined : { kind: 'sqlite', file }
}

/** Why the server could not keep objects where `--storage` says; nothing is made or changed to find out. */
export function storageProblem(text: string): string | undefined {
  const storage = storageOf(text)
  if (storage === undefined) {
    const wanted = 'must be memory or sqlite:FILE'
    return `invalid argument ${JSON.stringify(text)} for "--storage" flag: ${wanted}`
  }
  if (storage.kind !== 'sqlite') return undefined
  const problem = fileProblem(storage.file)
  return problem === undefined ? undefined : `--storage ${text}: ${problem}`
}

function fileProblem(file: string): string | undefined {
  const folder = dirname(file)
  const about = { throwIfNoEntry: false } as const
  if (statSync(folder, about)?.isDirectory() !== true) return `${folder} is not a folder`
  const found = statSync(file, about)
  if (found === undefined || (found.isFile() && found.size === 0)) return undefined
  if (!found.isFile()) return `${file} is not a file`
  return firstBytes(file) === sqliteMagic ? undefined : `${file} is not a database`
}

/** How every SQLite file begins. */
const sqliteMagic = 'SQLite format 3\0'

/** The first bytes of a file; empty for one that cannot be read. */
function firstBytes(file: string): string {
  const start = Buffer.alloc(sqliteMagic.length)
  try {
    const handle = openSync(file, 'r')
    readSync(handle, start, 0, start.length, 0)
    closeSync(handle)
  } catch {
    return ''
  }
  return start.toString('latin1')
}
