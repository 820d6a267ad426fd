/** The store in PostgreSQL beside the one in a file of SQLite, in the same run: both sync before they acknowledge. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { type LogStore, openSqliteStore, openStore } from '../../runtime/store/store.ts'
import { noPostgres, type Postgres, postgresPrograms, startPostgres } from '../postgres.ts'
import { creates, objectBytes } from './creates.ts'
import type { Limit, Report } from './report.ts'

/** Writers whose creates share commits. */
const writers = 64
/** Each is measured so often, in turns, and the median counts. */
const rounds = 5
/** Events whose delay is measured. */
const events = 2000
/** Reads at the latest revision by so many at once. */
const reads = 20_000

/** What a second server costs and what a network to the database takes; nothing where no PostgreSQL is installed. */
export async function bench(report: Report): Promise<void> {
  if (postgresPrograms === undefined) {
    console.log(`not measured: ${noPostgres}`)
    return
  }
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  const postgres = await startPostgres()
  try {
    await benchCreates(report, postgres, directory)
    await benchEvents(report, postgres, 1)
    await benchEvents(report, postgres, 16)
    await benchReads(report, postgres)
  } finally {
    rmSync(directory, { recursive: true, force: true })
    await postgres.stop()
  }
}

let made = 0

/** Opens stores on a new schema. */
function fresh(postgres: Postgres): () => Promise<LogStore> {
  made += 1
  const url = postgres.url(`bench_${made}`)
  return () => openStore({ kind: 'postgres', url }, { clock: systemClock })
}

async function benchCreates(report: Report, postgres: Postgres, directory: string): Promise<void> {
  const figures = {
    sqlite: [] as number[],
    one: [] as number[],
    two: [] as number[],
    lone: [] as number[],
  }
  const file = (round: number, kind: string) => () =>
    openSqliteStore({ filename: join(directory, `${kind}-${round}.db`), clock: systemClock })
  const loneFile: number[] = []
  for (let round = 0; round < rounds; round++) {
    figures.sqlite.push(await creates(file(round, 'many'), writers))
    figures.one.push(await creates(fresh(postgres), writers))
    const open = fresh(postgres)
    const both = await Promise.all([creates(open, writers, 'one'), creates(open, writers, 'other')])
    figures.two.push(both[0] + both[1])
    loneFile.push(await creates(file(round, 'lone'), 1))
    figures.lone.push(await creates(fresh(postgres), 1))
  }
  const limit: Limit = { name: 'SQLite', value: median(figures.sqlite) }
  const goal = { atLeast: 0.6, of: 'limit' } as const
  report(`durable creates, ${writers} writers`, median(figures.one), 'per s', limit, goal)
  report(`  two servers in one process, ${writers} each`, median(figures.two), 'per s', limit)
  const lone: Limit = { name: 'SQLite', value: median(loneFile) }
  report('durable creates, 1 writer', median(figures.lone), 'per s', lone)
}

/** From the acknowledgement through one server to the change through another. */
async function benchEvents(report: Report, postgres: Postgres, count: number): Promise<void> {
  const open = fresh(postgres)
  const [one, other] = await Promise.all([open(), open()])
  const committed = new Map<string, number>()
  const commits: number[] = []
  const seen = new Map<string, number>()
  const following = (async () => {
    for await (const changes of other.changes(0, AbortSignal.timeout(600_000))) {
      for (const { key } of changes) seen.set(key, performance.now())
      if (seen.size === events) return
    }
  })()
  const value = Buffer.alloc(objectBytes, 'x')
  const write = async (writer: number) => {
    for (let index = writer; index < events; index += count) {
      const began = performance.now()
      await one.create(`/${index}`, value)
      committed.set(`/${index}`, performance.now())
      commits.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: count }, (_, writer) => write(writer)))
  await following
  const delays = [...seen].map(([key, at]) => Math.max(0, at - (committed.get(key) ?? at)))
  const by = count === 1 ? '1 writer' : `${count} writers`
  report(`event through a second server, p50, ${by}`, median(delays), 'ms')
  // A machine that is busy with something else keeps commits waiting as well.
  const limit: Limit = { name: 'the commits themselves', value: late(commits) }
  report(`event through a second server, p99, ${by}`, late(delays), 'ms', limit, { atMost: 20 })
  await Promise.all([one.close(), other.close()])
}

/** What it takes to know that the cache is up to date. */
async function benchReads(report: Report, postgres: Postgres): Promise<void> {
  const store = await fresh(postgres)()
  for (const count of [1, writers]) {
    const start = performance.now()
    const each = count === 1 ? 2000 : reads / count
    const read = async () => {
      for (let index = 0; index < each; index++) await store.revision()
    }
    await Promise.all(Array.from({ length: count }, read))
    const seconds = (performance.now() - start) / 1000
    report(`latest revision, ${count} at once`, (each * count) / seconds, 'per s')
  }
  await store.close()
}

/** What 99 of 100 are below. */
function late(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
