import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { type Address, exchange, perSecond, requestBytes } from './load.ts'
import type { Report } from './report.ts'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly address: Address
  readonly pid: number
  /** Microseconds of processor time that it has used. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/** Starts a server of the given kind in a process of its own. Fails with what it printed if it does not come up. */
export async function startServer(
  mode: 'bare' | 'memory' | 'without-koa' | 'file',
  file = '',
): Promise<ServerProcess> {
  const child = fork(new URL('./server-process.js', import.meta.url), [mode, file])
  const { url } = (await nextMessage(child)) as { readonly url: string }
  const { hostname: host, port } = new URL(url)
  return {
    address: { host, port: Number(port) },
    pid: child.pid ?? 0,
    async cpu() {
      child.send('cpu')
      const { user, system } = (await nextMessage(child)) as NodeJS.CpuUsage
      return user + system
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.send('stop')
      }),
  }
}

/** The memory that a process has at the moment. */
export function residentMegabytes(pid: number): number {
  const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kibibytes) / 1024
}

/** A request to the process is answered by exactly one message. */
function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('message', resolve))
}

/** Tells a bare server what to send. */
export async function teach({ address }: ServerProcess, body: Buffer): Promise<void> {
  const head = `PUT / HTTP/1.1\r\nHost: bench\r\nContent-Length: ${body.length}\r\n\r\n`
  await exchange(address, Buffer.concat([Buffer.from(head), body]))
}

/** A kind of request, and how many are under way at once. */
export interface Load {
  readonly next: (count: number) => Buffer
  readonly connections: number
  readonly ms: number
}

/** Odd, so that the median is a measured value. */
const rounds = 7

/**
 * Rates and processor time of a load on our server and on the bare one, in turns, so that what else goes on meets both
 * alike. The figures are medians; the processor's are those of the round that was disturbed least.
 */
export async function compare(
  report: Report,
  name: string,
  own: ServerProcess,
  bare: ServerProcess,
  load: Load,
  share?: number,
  limitName = 'node:http with the same bytes',
): Promise<void> {
  for (const server of [bare, own, bare, own]) await loaded(server, load)
  const [limits, figures]: [Loaded[], Loaded[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    limits.push(await loaded(bare, load))
    figures.push(await loaded(own, load))
  }
  const middle = (all: readonly Loaded[]) => median(all.map(({ rate }) => rate))
  const least = (all: readonly Loaded[]) => Math.min(...all.map(({ micros }) => micros))
  report(
    name,
    middle(figures),
    '/s',
    { name: limitName, value: middle(limits) },
    share === undefined ? undefined : { atLeast: share, of: 'limit' },
  )
  report(`${name}: processor`, least(figures), 'us', { name: limitName, value: least(limits) })
}

/** What one round of a load came to: requests per second, and microseconds of processor time of each. */
interface Loaded {
  readonly rate: number
  readonly micros: number
}

/** One round of a load on one server. */
async function loaded(server: ServerProcess, { next, connections, ms }: Load): Promise<Loaded> {
  const before = await server.cpu()
  const began = performance.now()
  const rate = await perSecond(server.address, next, ms, connections)
  const count = (rate * (performance.now() - began)) / 1000
  return { rate, micros: ((await server.cpu()) - before) / count }
}

/** The middle one of some values; of an even number, the upper of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** What the server gives for a request. */
export async function bodyOf({ address }: ServerProcess, path: string): Promise<Buffer> {
  return (await exchange(address, requestBytes('GET', path))).body
}
