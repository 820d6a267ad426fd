/**
 * A server over a store with many small objects, kept in memory and not: how long it takes to begin, what it weighs, what a request costs.
 * ORCH_BENCH_OBJECTS says how many there are, ORCH_BENCH_BYTES how long; the figures are those that `tools/simulate-scale` computes with.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import {
  type Change,
  parseStoreLocation,
  type StoreDump,
  storeKeeper,
} from '../../runtime/store/store.ts'
import { noPostgres, type Postgres, postgresPrograms, startPostgres } from '../postgres.ts'
import { requestBytes } from './load.ts'
import { startMeasured, ticksOf } from './measured-server.ts'
import type { Report } from './report.ts'

const objects = Number(process.env.ORCH_BENCH_OBJECTS ?? 100_000)
const maps = '/api/v1/namespaces/default/configmaps'
const requests = 2000
const pages = 100
const batch = 500
/** Bytes of each stored object: some 390 of them are there anyway. */
const filler = 'x'.repeat(Math.max(100, Number(process.env.ORCH_BENCH_BYTES ?? 0) - 390))

export async function bench(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-objects-'))
  const postgres = postgresPrograms === undefined ? undefined : await startPostgres()
  try {
    await benchStore(report, 'SQLite', `sqlite:${join(folder, 'store.db')}`)
    report('bytes of the file for each', (await stat(join(folder, 'store.db'))).size / objects, 'B')
    if (postgres === undefined) console.log(`not measured: ${noPostgres}`)
    else await benchStore(report, 'PostgreSQL', postgres.url('many'), processorOf(postgres))
  } finally {
    await postgres?.stop()
    await rm(folder, { recursive: true })
  }
}

/** `databaseMs`: the processor time of a database that is another process, and that a second server may be on. */
async function benchStore(
  report: Report,
  database: string,
  storage: string,
  databaseMs?: () => number,
): Promise<void> {
  const began = performance.now()
  await fill(storage)
  report(`${database}: ${objects} objects are loaded`, (performance.now() - began) / 1000, 's')
  const uncached = ['--uncached-resources=configmaps']
  const [kept, not] = [`${database}, in memory`, `${database}, not in memory`]
  await measure(report, kept, { storage, flags: [], databaseMs })
  await measure(report, not, { storage, flags: uncached, databaseMs })
}

/** Makes a store with so many copies of what a server stores of one object. */
async function fill(storage: string): Promise<void> {
  const server = await startMeasured(storage, [])
  const body = JSON.stringify({ metadata: { name: nameOf(0) }, data: { value: filler } })
  await server.exchange(requestBytes('POST', maps, body))
  await server.stop()
  const keeper = await storeKeeper(parseStoreLocation(storage)!)
  const dump = await keeper!.dump({ clock: systemClock })
  await keeper!.load(await copies(dump), { clock: systemClock, replace: true })
}

/** The dump with more objects of the kind of its last one. */
async function copies({ state, changes, close }: StoreDump): Promise<StoreDump> {
  const rows: Change[] = []
  for await (const some of changes) rows.push(...some)
  await close()
  const sample = rows.find(({ key }) => key.endsWith(`/${nameOf(0)}`))
  if (sample?.value === undefined) throw new Error('the server has not stored the object')
  const { key, value } = sample
  const [text, last] = [Buffer.from(value).toString(), state.revision]
  const copy = (at: number): Change => ({
    key: key.replace(nameOf(0), nameOf(at)),
    revision: last + at,
    createRevision: last + at,
    previousRevision: 0,
    value: Buffer.from(text.replace(nameOf(0), nameOf(at))),
  })
  async function* all() {
    yield rows
    for (let from = 1; from < objects; from += batch) {
      const size = Math.min(batch, objects - from)
      yield Array.from({ length: size }, (_, at) => copy(from + at))
    }
  }
  return {
    state: { ...state, revision: last + objects - 1 },
    changes: all(),
    close: async () => {},
  }
}

interface Measured {
  readonly storage: string
  readonly flags: readonly string[]
  readonly databaseMs: (() => number) | undefined
}

async function measure(
  report: Report,
  how: string,
  { storage, flags, databaseMs = () => 0 }: Measured,
): Promise<void> {
  const began = performance.now()
  const server = await startMeasured(storage, flags)
  const say = (what: string, value: number, unit: string) => report(`${how}: ${what}`, value, unit)
  say('start', (performance.now() - began) / 1000, 's')
  say('start, processor', server.cpuMs() / 1000, 's')
  say('memory after the start', server.residentMiB(), 'MiB')
  const isShared = storage.startsWith('postgres')
  const other = isShared ? await startMeasured(storage, flags) : undefined
  /** The first half is not counted: code is compiled meanwhile. */
  const each = async (
    what: string,
    count: number,
    next: (at: number, answer: string) => Buffer,
  ) => {
    let answer = ''
    const ask = async (from: number) => {
      for (let at = from; at < from + count; at++) answer = await server.exchange(next(at, answer))
    }
    await ask(0)
    const clocks = { processor: server.cpuMs, other: other?.cpuMs, database: databaseMs }
    const before = Object.values(clocks).map((clock) => clock?.() ?? 0)
    const started = performance.now()
    await ask(count)
    say(what, (performance.now() - started) / count, 'ms')
    Object.entries(clocks).forEach(([whose, clock], at) => {
      const used = ((clock?.() ?? 0) - (before[at] ?? 0)) / count
      if (clock !== undefined && (isShared || whose === 'processor'))
        say(`${what}, ${whose}`, used, 'ms')
    })
  }
  const any = (at: number) => nameOf((at * 7919) % objects)
  await each('get', requests, (at) => requestBytes('GET', `${maps}/${any(at)}`))
  await each('create', requests, (at) => {
    const metadata = { name: `new-${flags.length}-${at}` }
    return requestBytes('POST', maps, JSON.stringify({ metadata, data: { value: filler } }))
  })
  await each('update', requests, (at) => {
    const metadata = { name: any(at) }
    return requestBytes('PUT', `${maps}/${any(at)}`, JSON.stringify({ metadata, data: { how } }))
  })
  let token = ''
  await each('page of 500', pages, (_, answer) => {
    token = /"continue":"([^"]+)"/.exec(answer)?.[1] ?? ''
    return requestBytes('GET', `${maps}?limit=500&continue=${token}`)
  })
  say('memory then', server.residentMiB(), 'MiB')
  await other?.stop()
  await server.stop()
}

/** The processor time of the processes of a database. */
function processorOf({ folder }: Postgres): () => number {
  const file = join(folder, 'data', 'postmaster.pid')
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  return () => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    return [pid, ...children.map(Number)].reduce((sum, one) => sum + ticksOf({ pid: one }), 0) * 10
  }
}

function nameOf(at: number): string {
  return `m${String(at).padStart(8, '0')}`
}
