import { existsSync } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../../kernel/async/clock.ts'
import { checkedChanges } from '../archive/checked-changes.ts'
import { type LoadedStore, type LoadOptions, loadedState, type StoreDump } from '../dump.ts'
import type { Change } from '../log-store.ts'
import { takeBatch } from '../sql/batch.ts'
import { Connection, type Query } from './connection.ts'
import { lockFile } from './file-lock.ts'
import { insertLog } from './insert-log.ts'
import { fileError } from './owned-file.ts'
import { applyPragmas, filePageBytes, migrate } from './schema.ts'
import { Statements } from './statements.ts'
import { lostWrites } from './write-ahead-log.ts'

/**
 * Makes the store of a dump in a file. It is made beside the file and takes its name when it is whole; what had the name before is kept
 * under another one.
 *
 * @throws Error if a process owns the file, or if it holds something and is not to be replaced.
 */
export async function loadFile(
  file: string,
  dump: StoreDump,
  options: LoadOptions & { readonly clock: Clock },
): Promise<LoadedStore> {
  const path = await realpath(file).catch(() => file)
  const names = (await stat(path).catch(() => undefined))?.nlink ?? 1
  if (names > 1)
    throw new Error(`${file}: the file has ${names} names (hard links): remove the others`)
  const known = existsSync(`${path}-owner`)
  const lock = await lockFile(path)
  const draft = join(dirname(path), `.${basename(path)}.loading-${process.pid}`)
  let done = false
  try {
    const former = existsSync(path) ? formerName(path, options.clock) : undefined
    if (former !== undefined && options.replace !== true) await checkEmpty(file, path)
    const objects = await fill(draft, dump, options)
    if (former !== undefined) {
      await rename(path, former)
      if (existsSync(`${path}-wal`)) await rename(`${path}-wal`, `${former}-wal`)
    }
    await rename(draft, path)
    await syncFolder(dirname(path))
    done = true
    return {
      state: loadedState(dump.state, options),
      objects,
      ...(former !== undefined && { former }),
    }
  } catch (error) {
    throw fileError(file, error)
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(draft + suffix, { force: true })
    await lock.close()
    if (!done && !known) await rm(`${path}-owner`, { force: true })
  }
}

/** @throws Error if the store of a file, which this process has locked, holds something. */
async function checkEmpty(file: string, path: string): Promise<void> {
  const { size } = await stat(path)
  if (size === 0) return
  const holdsStore = `${file}: holds a store: name another file, or replace it with --replace`
  if ((await lostWrites(path)) !== undefined) throw new Error(holdsStore)
  const connection = await Connection.open(path)
  try {
    const [row] = await connection.run('read', (query) => query('SELECT count(*) AS rows FROM log'))
    if (row?.rows !== 0) throw new Error(holdsStore)
  } finally {
    await connection.close()
  }
}

/** Fills a new database, and gives how many objects it holds. */
async function fill(draft: string, dump: StoreDump, options: LoadOptions): Promise<number> {
  const connection = await Connection.open(draft)
  try {
    return await connection.run('write', async (query) => {
      await query(`PRAGMA page_size = ${filePageBytes}`)
      await query('PRAGMA auto_vacuum = 2')
      await query('PRAGMA journal_mode = MEMORY')
      await query('PRAGMA synchronous = OFF')
      await migrate(draft, connection.knex, query)
      await query('BEGIN')
      for await (const changes of checkedChanges(dump)) await insert(changes, query)
      if (options.skippedRevisions !== undefined) {
        await query('DELETE FROM log WHERE rev NOT IN (SELECT rev FROM cur)')
      }
      const { id, compacted, trimmed } = loadedState(dump.state, options)
      const statements = new Statements(connection.knex)
      const meta = { id, compact: String(compacted), trimmed: String(trimmed) }
      for (const [name, value] of Object.entries(meta)) await query(statements.setMeta(name, value))
      await query('COMMIT')
      await query('PRAGMA synchronous = FULL')
      await applyPragmas(query)
      await query('PRAGMA wal_checkpoint(TRUNCATE)')
      const [row] = await query('SELECT count(*) AS objects FROM cur')
      return Number(row?.objects)
    })
  } finally {
    await connection.close()
    const handle = await open(draft, 'r+').catch(() => undefined)
    await handle?.chmod(0o600)
    await handle?.sync()
    await handle?.close()
  }
}

async function insert(changes: readonly Change[], query: Query): Promise<void> {
  const rows = changes.map((change) => ({ ...change, op: opOf(change) }))
  while (rows.length > 0) await query(insertLog(takeBatch(rows)))
}

function opOf({ previousRevision, value }: Change): 'create' | 'update' | 'delete' {
  if (value === undefined) return 'delete'
  return previousRevision === 0 ? 'create' : 'update'
}

function formerName(path: string, clock: Clock): string {
  const at = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const name = `${path}.before-${at}`
  for (let more = 2; ; more++) {
    const candidate = more === 2 ? name : `${name}-${more - 1}`
    if (!existsSync(candidate)) return candidate
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
