/** Durable writes beside bare SQLite commits of the same bytes; lists beside a copy of the same memory. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sqlite3 from 'sqlite3'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { openSqliteStore, type Store } from '../../runtime/store/store.ts'
import { createWatchCache } from '../../runtime/watch/watch.ts'
import { creates, objectBytes, createsMs as runMs } from './creates.ts'
import type { Report } from './report.ts'

/** Writers whose creates share commits. */
const writers = 64
/** Entries of a large collection. */
const listed = 10_000

/** The store without a server: writes, reads and watches on a file and in memory, beside what SQLite does alone. */
export async function bench(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  const fresh = fileNames(directory)
  try {
    await benchWrites(report, fresh)
    await benchLists(report, fresh())
    await benchOpen(report)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Creates per second, by many writers and by one, with and without the watch cache before the store. */
async function benchWrites(report: Report, fresh: () => string): Promise<void> {
  const grouped = { name: `bare commits of ${writers}`, value: await bareCommits(fresh(), writers) }
  const single = { name: 'bare commits of 1', value: await bareCommits(fresh(), 1) }
  const stored = async () => openSqliteStore({ filename: fresh(), clock: systemClock })
  const cached = async () => createWatchCache(await stored(), { clock: systemClock })
  report(`durable creates, ${writers} writers`, await creates(stored, writers), 'per s', grouped)
  report('durable creates, 1 writer', await creates(stored, 1), 'per s', single)
  const behind = await creates(cached, writers)
  report(`durable creates through the cache, ${writers}`, behind, 'per s', grouped)
  report('durable creates through the cache, 1', await creates(cached, 1), 'per s', single)
}

/** Rows per second of the plainest durable table, `size` rows to a transaction, through the bare driver. */
async function bareCommits(filename: string, size: number): Promise<number> {
  const database = new sqlite3.Database(filename)
  await once(database, 'open')
  const run = (sql: string, values: readonly unknown[] = []) =>
    new Promise<void>((resolve, reject) =>
      database.run(sql, values, (error) => (error === null ? resolve() : reject(error))),
    )
  await run('PRAGMA journal_mode = WAL')
  await run('PRAGMA synchronous = FULL')
  await run('CREATE TABLE log (rev INTEGER PRIMARY KEY, value BLOB)')
  const value = Buffer.alloc(objectBytes, 'x')
  const insert = `INSERT INTO log (value) VALUES ${new Array(size).fill('(?)').join(',')}`
  const values = new Array(size).fill(value)
  const start = performance.now()
  let rows = 0
  for (; performance.now() < start + runMs; rows += size) await run(insert, values)
  const seconds = (performance.now() - start) / 1000
  await new Promise((resolve) => database.close(resolve))
  return rows / seconds
}

/** Whole lists and pages, from the cache and from the database. */
async function benchLists(report: Report, filename: string): Promise<void> {
  const store = await openSqliteStore({ filename, clock: systemClock })
  const names = Array.from({ length: listed }, (_, index) => `/core/pods/ns-${index % 50}/${index}`)
  await Promise.all(names.map((key) => store.create(key, Buffer.alloc(objectBytes, 'x'))))
  const loading = performance.now()
  const cache = await createWatchCache(store, { clock: systemClock })
  report(`cache loads ${listed} entries`, performance.now() - loading, 'ms')
  const whole = Buffer.alloc(listed * objectBytes, 'x')
  const target = Buffer.alloc(whole.byteLength)
  const copy = await median(() => whole.copy(target))
  const limit = { name: 'memory copy', value: copy }
  const join = async (from: Store) =>
    Buffer.concat((await from.list('/core/pods/')).entries.map((entry) => entry.value))
  report(
    `list ${listed} x 2 KiB from the cache, joined`,
    await median(() => join(cache)),
    'ms',
    limit,
  )
  report(`list ${listed} x 2 KiB from the database`, await median(() => join(store)), 'ms', limit)
  const page = () => store.list('/core/pods/', { limit: 500 })
  report('page of 500 from the database', await median(page), 'ms')
  report(
    'page of 500 from the cache',
    await median(() => cache.list('/core/pods/', { limit: 500 })),
    'ms',
  )
  await cache.close()
}

/** What a test pays for a store of its own. */
async function benchOpen(report: Report): Promise<void> {
  const cycle = async () => {
    const store = await openSqliteStore({ filename: ':memory:', clock: systemClock })
    await createWatchCache(store, { clock: systemClock }).then((cache) => cache.close())
  }
  report('open and close a store and its cache in memory', await median(cycle), 'ms')
}

/** Milliseconds of a run, the median of nine. */
async function median(run: () => unknown): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 9; round++) {
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[4] ?? Number.NaN
}

function fileNames(directory: string): () => string {
  let made = 0
  return () => {
    made += 1
    return join(directory, `${made}.db`)
  }
}
