import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { StoreDriver } from '../driver.ts'
import { emptied } from './database-file.ts'
import { ownerFile } from './file-lock.ts'
import type { SqliteLocation } from './location.ts'
import { openSqliteStore } from './open.ts'

/** SQLite in a file. */
export const sqliteDriver: StoreDriver<SqliteLocation> = {
  form: 'sqlite:FILE',
  parse(text) {
    const file = /^sqlite:(.+)$/s.exec(text)?.[1]
    return file === undefined ? undefined : { kind: 'sqlite', file }
  },
  problem: ({ file }) => fileProblem(file),
  open: ({ file }, options) => openSqliteStore({ ...options, filename: file }),
  keeper: async () => (await import('./keeper.ts')).sqliteKeeper,
}

function fileProblem(file: string): string | undefined {
  const folder = dirname(file)
  const options = { throwIfNoEntry: false } as const
  if (statSync(folder, options)?.isDirectory() !== true) return `${folder} is not a folder`
  const found = statSync(file, options)
  if (found === undefined) return undefined
  if (!found.isFile()) return `${file} is not a file`
  if (found.size === 0) return existsSync(ownerFile(file)) ? emptied(file) : undefined
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
