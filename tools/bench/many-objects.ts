/**
 * A server over a file with many small objects, kept in memory and not: how long it takes to begin, what it weighs, what a request costs.
 * ORCH_BENCH_OBJECTS says how many there are; the figures are those that `tools/simulate-scale` computes with.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { type Change, type StoreDump, storeKeeper } from '../../runtime/store/store.ts'
import { type Address, exchange, requestBytes } from './load.ts'
import type { Report } from './report.ts'

const command = fileURLToPath(new URL('../../packed/orch-apiserver.js', import.meta.url))
const objects = Number(process.env.ORCH_BENCH_OBJECTS ?? 100_000)
const maps = '/api/v1/namespaces/default/configmaps'
const requests = 2000
const pages = 20
const batch = 500

export async function bench(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-objects-'))
  const file = join(folder, 'store.db')
  try {
    const began = performance.now()
    await fill(file)
    report(`${objects} objects are loaded`, (performance.now() - began) / 1000, 's')
    report('bytes of the file for each', (await stat(file)).size / objects, 'B')
    await measure(report, 'kept in memory', file, [])
    await measure(report, 'not kept in memory', file, ['--uncached-resources=configmaps'])
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Makes a file with so many copies of what a server stores of one object. */
async function fill(file: string): Promise<void> {
  const server = await start(file, [])
  const body = JSON.stringify({ metadata: { name: nameOf(0) }, data: { value: 'x'.repeat(100) } })
  await exchange(server.address, requestBytes('POST', maps, body))
  await server.stop()
  const keeper = await storeKeeper({ kind: 'sqlite', file })
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
  file: string,
  flags: readonly string[],
): Promise<void> {
  const began = performance.now()
  const server = await start(file, flags)
  const { address } = server
  const say = (what: string, value: number, unit: string) => report(`${what}, ${how}`, value, unit)
  say('start', (performance.now() - began) / 1000, 's')
  say('processor time of the start', server.cpuMs() / 1000, 's')
  say('memory after the start', server.residentMiB(), 'MiB')
  const each = async (what: string, count: number, next: (at: number) => Buffer) => {
    const [before, started] = [server.cpuMs(), performance.now()]
    for (let at = 0; at < count; at++) await exchange(address, next(at))
    say(what, (performance.now() - started) / count, 'ms')
    say(`${what}: processor`, ((server.cpuMs() - before) * 1000) / count, 'us')
  }
  const any = (at: number) => nameOf((at * 7919) % objects)
  await each('a get', requests, (at) => requestBytes('GET', `${maps}/${any(at)}`))
  await each('a create', requests, (at) => {
    const body = { metadata: { name: `${flags.length}-${at}` }, data: { value: 'x'.repeat(100) } }
    return requestBytes('POST', maps, JSON.stringify(body))
  })
  let token = ''
  const [before, started] = [server.cpuMs(), performance.now()]
  for (let at = 0; at < pages; at++) {
    const path = `${maps}?limit=500&continue=${token}`
    const { body } = await exchange(address, requestBytes('GET', path))
    token = /"continue":"([^"]+)"/.exec(body.toString())?.[1] ?? ''
  }
  say('a page of 500', (performance.now() - started) / pages, 'ms')
  say('a page of 500: processor', (server.cpuMs() - before) / pages, 'ms')
  say('memory then', server.residentMiB(), 'MiB')
  await server.stop()
}

interface Started {
  readonly address: Address
  cpuMs(): number
  residentMiB(): number
  stop(): Promise<void>
}

async function start(file: string, flags: readonly string[]): Promise<Started> {
  const args = [command, '--insecure-port=0', `--storage=sqlite:${file}`, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const url = /http:\S+/.exec(String(line))?.[0]
  if (url === undefined) throw new Error(`the server says ${line}`)
  const { hostname: host, port } = new URL(url)
  return {
    address: { host, port: Number(port) },
    cpuMs: () => ticksOf(child) * 10,
    residentMiB: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(ofProcess(child, 'status'))?.[1]) / 1024,
    async stop() {
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
