import { stat } from 'node:fs/promises'
import type { StoreKeeper, StoreSizes } from '../keeper.ts'
import { dumpFile } from './dump.ts'
import { examineFile } from './examine.ts'
import { loadFile } from './load.ts'
import type { SqliteLocation } from './location.ts'
import { holdFile } from './owned-file.ts'

/** Moves and keeps stores in files. */
export const sqliteKeeper: StoreKeeper<SqliteLocation> = {
  dump: ({ file }, { alone = false }) => dumpFile(file, alone),
  load: ({ file }, dump, options) => loadFile(file, dump, options),
  examine: ({ file }, options) => examineFile(file, options),
  vacuum: ({ file }) => vacuumFile(file),
  sizes: ({ file }) => sizesOf(file),
}

async function vacuumFile(file: string): Promise<void> {
  const held = await holdFile(file)
  try {
    await held.connection.run('maintenance', async (query) => {
      await query('VACUUM')
      await query('PRAGMA wal_checkpoint(TRUNCATE)')
    })
  } finally {
    await held.close()
  }
}

async function sizesOf(file: string): Promise<StoreSizes> {
  const [database, log] = await Promise.all([file, `${file}-wal`].map(bytesOf))
  return { database: database ?? 0, 'write-ahead log': log ?? 0 }
}

async function bytesOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
