/**
 * One server of two processes beside one of a single process: what a request and an event cost on all processes together, and so what two cores
 * would serve where each process has one. The clients share this machine's cores, so that rates alone would say less.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Address, exchange, openConnections, requestBytes } from './load.ts'
import { microsOfTree } from './processor-time.ts'
import type { Report } from './report.ts'
import { median } from './servers.ts'

/** Odd, so that the median is a measured value. */
const rounds = 5
const [connections, loadMs] = [64, 2000]
/** Watchers of one collection, and events for each, one after the other. */
const [watchers, events] = [1000, 50]

const program = fileURLToPath(new URL('../../packed/orch-apiserver.js', import.meta.url))

/** Reads and fan-out, in turns. */
export async function bench(report: Report): Promise<void> {
  const [one, two] = [await start(1), await start(2)]
  try {
    for (const server of [one, two]) await prepare(server)
    for (const server of [one, two]) await fanOut(server)
    const figures = { reads: [] as number[], rates: [] as number[], events: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      const [single, both] = [await reads(one), await reads(two)]
      figures.reads.push((2 * single.micros) / both.micros)
      figures.rates.push(both.rate / single.rate)
      figures.events.push((2 * (await fanOut(one))) / (await fanOut(two)))
    }
    const goal = { atLeast: 1.7 }
    report('reads, two processes on two cores', median(figures.reads), 'x', undefined, goal)
    report('  the rate here, clients included', median(figures.rates), 'x')
    report(
      `an event to ${watchers} watchers, the same`,
      median(figures.events),
      'x',
      undefined,
      goal,
    )
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
}

interface Server {
  readonly address: Address
  /** Microseconds of processor time of all its processes. */
  cpu(): number
  stop(): Promise<unknown>
}

async function start(processes: number): Promise<Server> {
  const args = [program, '--insecure-port=0', '--storage=memory', `--processes=${processes}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { hostname: host, port } = new URL(String(line).replace('ready ', '').trim())
  return {
    address: { host, port: Number(port) },
    cpu: () => microsOfTree(child.pid ?? 0),
    stop: () => {
      child.kill()
      return once(child, 'exit')
    },
  }
}

const maps = '/api/v1/namespaces/default/configmaps'
const bodyOf = (name: string): string =>
  JSON.stringify({ metadata: { name }, data: { k: 'x'.repeat(1500) } })

async function prepare({ address }: Server): Promise<void> {
  for (let at = 0; at < 50; at++) {
    await exchange(address, requestBytes('POST', maps, bodyOf(`m-${at}`)))
  }
}

async function reads(server: Server): Promise<{ readonly rate: number; readonly micros: number }> {
  const load = await openConnections(server.address, connections)
  const next = (count: number): Buffer => requestBytes('GET', `${maps}/m-${count % 50}`)
  await load.perSecond(next, loadMs / 4)
  const [began, before] = [performance.now(), server.cpu()]
  const rate = await load.perSecond(next, loadMs)
  const answered = (rate * (performance.now() - began)) / 1000
  const micros = (server.cpu() - before) / answered
  load.close()
  return { rate, micros }
}

/** Microseconds of an event that all watchers get: the next one is made when the last watcher has it, so that none share a write. */
async function fanOut(server: Server): Promise<number> {
  const namespace = `n-${process.hrtime.bigint()}`
  const made = requestBytes(
    'POST',
    '/api/v1/namespaces',
    JSON.stringify({ metadata: { name: namespace } }),
  )
  await exchange(server.address, made)
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const arrivals = new Arrivals()
  const sockets: Socket[] = []
  for (let at = 0; at < watchers; at++) {
    sockets.push(await openWatch(server.address, `${path}?watch=true`, arrivals))
  }
  const writer = await openConnections(server.address, 1)
  const before = server.cpu()
  for (let at = 1; at <= events; at++) {
    await writer.one(requestBytes('POST', path, bodyOf(`e-${at}`)))
    await arrivals.reach(watchers * at)
  }
  const micros = (server.cpu() - before) / events
  writer.close()
  for (const socket of sockets) socket.destroy()
  return micros
}

/** Counts events. */
class Arrivals {
  #count = 0
  #wanted = Number.POSITIVE_INFINITY
  #reached = (): void => {}

  add(chunk: Buffer): void {
    for (let at = chunk.indexOf(mark); at >= 0; at = chunk.indexOf(mark, at + 1)) this.#count++
    if (this.#count >= this.#wanted) this.#reached()
  }

  /** Resolves once so many have come. */
  reach(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wanted = count
      this.#reached = resolve
      if (this.#count >= count) resolve()
    })
  }
}

/** What every event has once. */
const mark = Buffer.from('"type":"')

async function openWatch(
  { host, port }: Address,
  path: string,
  arrivals: Arrivals,
): Promise<Socket> {
  const socket = connect({ host, port })
  await once(socket, 'connect')
  socket.write(requestBytes('GET', path))
  await once(socket, 'data')
  socket.on('data', (chunk: Buffer) => arrivals.add(chunk))
  return socket
}
