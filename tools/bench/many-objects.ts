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
import { noPostgres, postgresPrograms, startPostgres } from '../postgres.ts'
import { requestBytes, responses } from './load.ts'
import type { Report } from './report.ts'

const command = fileURLToPath(new URL('../../packed/orch-apiserver.js', import.meta.url))
const objects = Number(process.env.ORCH_BENCH_OBJECTS ?? 100_000)
const maps = '/api/v1/namespaces/default/configmaps'
const requests = 2000
const pages = 20
const batch = 500
const filler = 'x'.repeat(100)

export async function bench(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-objects-'))
  const postgres = postgresPrograms === undefined ? undefined : await startPostgres()
  try {
    await benchStore(report, 'SQLite', `sqlite:${join(folder, 'store.db')}`)
    report('bytes of the file for each', (await stat(join(folder, 'store.db'))).size / objects, 'B')
    if (postgres === undefined) console.log(`not measured: ${noPostgres}`)
    else await benchStore(report, 'PostgreSQL', postgres.url('many'))
  } finally {
    await postgres?.stop()
    await rm(folder, { recursive: true })
  }
}

async function benchStore(report: Report, database: string, storage: string): Promise<void> {
  const began = performance.now()
  await fill(storage)
  report(`${database}: ${objects} objects are loaded`, (performance.now() - began) / 1000, 's')
  await measure(report, `${database}, in memory`, storage, [])
  await measure(report, `${database}, not in memory`, storage, ['--uncached-resources=configmaps'])
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

async function measure(
  report: Report,
  how: string,
  storage: string,
  flags: readonly string[],
): Promise<void> {
  const began = performance.now()
  const server = await start(storage, flags)
  const say = (what: string, value: number, unit: string) => report(`${how}: ${what}`, value, unit)
  say('start', (performance.now() - began) / 1000, 's')
  say('start, processor', server.cpuMs() / 1000, 's')
  say('memory after the start', server.residentMiB(), 'MiB')
  const each = async (what: string, count: number, next: (at: number) => Buffer) => {
    const [before, started] = [server.cpuMs(), performance.now()]
    for (let at = 0; at < count; at++) await server.exchange(next(at))
    say(what, (performance.now() - started) / count, 'ms')
    say(`${what}, processor`, (server.cpuMs() - before) / count, 'ms')
  }
  const any = (at: number) => nameOf((at * 7919) % objects)
  await each('get', requests, (at) => requestBytes('GET', `${maps}/${any(at)}`))
  await each('create', requests, (at) => {
    const metadata = { name: `new-${flags.length}-${at}` }
    return requestBytes('POST', maps, JSON.stringify({ metadata, data: { value: filler } }))
  })
  await each('update', requests, (at) => {
    const metadata = { name: any(at) }
    return requestBytes('PUT', `${maps}/${any(at)}`, JSON.stringify({ metadata, data: {} }))
  })
  let token = ''
  const next = () => requestBytes('GET', `${maps}?limit=500&continue=${token}`)
  const [before, started] = [server.cpuMs(), performance.now()]
  for (let at = 0; at < pages; at++) {
    const body = await server.exchange(next())
    token = /"continue":"([^"]+)"/.exec(body)?.[1] ?? ''
  }
  say('page of 500', (performance.now() - started) / pages, 'ms')
  say('page of 500, processor', (server.cpuMs() - before) / pages, 'ms')
  say('memory then', server.residentMiB(), 'MiB')
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

/** Hundredths of a second of a processor. */
function ticksOf(child: ChildProcess): number {
  const fields = ofProcess(child, 'stat').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

function ofProcess({ pid }: ChildProcess, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8')
}

function nameOf(at: number): string {
  return `m${String(at).padStart(8, '0')}`
}
