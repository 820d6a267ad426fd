/**
 * A server over a store with many small objects, kept in memory and not: how long it takes to begin, what it weighs, what a request costs.
 * ORCH_BENCH_OBJECTS says how many there are; the figures are those that `tools/simulate-scale` computes with.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import {
  type Change,
  parseStoreLocation,
  type StoreDump,
  storeKeeper,
} from '../../runtime/store/store.ts'
import { noPostgres, type Postgres, postgresPrograms, startPostgres } from '../postgres.ts'
import { requestBytes, responses } from './load.ts'
import type { Report } from './report.ts'

const command = fileURLToPath(new URL('../../packed/orch-apiserver.js', import.meta.url))
const objects = Number(process.env.ORCH_BENCH_OBJECTS ?? 100_000)
const maps = '/api/v1/namespaces/default/configmaps'
const requests = 2000
const pages = 100
const batch = 500
const filler = 'x'.repeat(100)

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
  const server = await start(storage, [])
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
  const server = await start(storage, flags)
  const say = (what: string, value: number, unit: string) => report(`${how}: ${what}`, value, unit)
  say('start', (performance.now() - began) / 1000, 's')
  say('start, processor', server.cpuMs() / 1000, 's')
  say('memory after the start', server.residentMiB(), 'MiB')
  const isShared = storage.startsWith('postgres')
  const other = isShared ? await start(storage, flags) : undefined
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

interface Started {
  /** Sends a request over the one connection, and gives what comes back. */
  exchange(request: Buffer): Promise<string>
  cpuMs(): number
  residentMiB(): number
  stop(): Promise<void>
}

async function start(storage: string, flags: readonly string[]): Promise<Started> {
  const args = [command, '--insecure-port=0', `--storage=${storage}`, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const url = /http:\S+/.exec(String(line))?.[0]
  if (url === undefined) throw new Error(`the server says ${line}`)
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let answer: Buffer[] = []
  socket.on('data', (chunk) => answer.push(chunk))
  const answered = responses(socket)
  return {
    async exchange(request) {
      answer = []
      socket.write(request)
      await answered()
      return Buffer.concat(answer).toString()
    },
    cpuMs: () => ticksOf(child) * 10,
    residentMiB: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(ofProcess(child, 'status'))?.[1]) / 1024,
    async stop() {
      socket.destroy()
      child.kill()
      await once(child, 'close')
    },
  }
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

/** Hundredths of a second of a processor, 0 of a process that has ended. */
function ticksOf(process: Pick<ChildProcess, 'pid'>): number {
  try {
    const fields = ofProcess(process, 'stat').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

function ofProcess({ pid }: Pick<ChildProcess, 'pid'>, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8')
}

function nameOf(at: number): string {
  return `m${String(at).padStart(8, '0')}`
}
