import { connect } from 'node:net'
import { type Address, exchange, requestBytes, responses, watchAll } from './load.ts'
import type { Report } from './report.ts'
import { bodyOf, compare, median, type ServerProcess, startServer, teach } from './servers.ts'

const maps = '/api/v1/namespaces/default/configmaps'
/** A namespace of its own for the objects that lists are made of. */
const many = '/api/v1/namespaces/orch-public/configmaps'
/** Objects in a list: 20 MB of answer. */
const listed = 10_000
const watchers = 1000
/** Events in one fan-out, of which the quickest counts. */
const changes = 8
/** Fan-outs whose median counts. */
const fanOuts = 3
/** What fills an object up to 2 KiB. */
const payload = 'x'.repeat(1700)

/** Verbs over HTTP, each beside a bare node:http server that reads and sends the same bytes; each in its own process. */
export async function bench(report: Report): Promise<void> {
  const own = await startServer('memory')
  const bare = await startServer('bare')
  const withoutKoa = await startServer('without-koa')
  for (const server of [own, withoutKoa]) {
    await exchange(server.address, requestBytes('POST', maps, mapText('first')))
    await fill(server.address)
  }
  await reads(report, own, bare)
  await carried(report, own, withoutKoa)
  await fanOut(report, own, bare)
  await writes(report, own, bare)
  await Promise.all([own.stop(), bare.stop(), withoutKoa.stop()])
}

/** The body of a ConfigMap. */
function mapText(name: string, value = payload): string {
  return JSON.stringify({ metadata: { name, labels: { app: 'bench' } }, data: { value } })
}

/** Gets by many clients, and lists of everything by one. */
async function reads(report: Report, own: ServerProcess, bare: ServerProcess): Promise<void> {
  const get = requestBytes('GET', `${maps}/first`)
  await teach(bare, await bodyOf(own, `${maps}/first`))
  const one = { next: () => get, connections: 16, ms: 500 }
  await compare(report, 'get of 2 KiB', own, bare, one, 0.6)
  const list = requestBytes('GET', many)
  await teach(bare, await bodyOf(own, many))
  const all = { next: () => list, connections: 1, ms: 1000 }
  await compare(report, `list of ${listed} objects of 2 KiB`, own, bare, all, 0.5)
}

/** What Koa costs: the same requests to the same chain of filters behind a bare listener. */
async function carried(report: Report, own: ServerProcess, bare: ServerProcess): Promise<void> {
  const name = 'the same filters without Koa'
  const get = requestBytes('GET', `${maps}/first`)
  const one = { next: () => get, connections: 16, ms: 500 }
  await compare(report, 'get of 2 KiB, carried by Koa', own, bare, one, 0.9, name)
  const list = requestBytes('GET', many)
  const all = { next: () => list, connections: 1, ms: 1000 }
  await compare(report, `list of ${listed} objects, carried by Koa`, own, bare, all, 0.9, name)
}

/** Creates what lists are made of, by 32 clients at once. */
async function fill(address: Address): Promise<void> {
  const workers = Array.from({ length: 32 }, async (_, worker) => {
    const socket = connect(address)
    const answered = responses(socket)
    for (let at = worker; at < listed; at += 32) {
      socket.write(requestBytes('POST', many, mapText(`m${at}`)))
      await answered()
    }
    socket.destroy()
  })
  await Promise.all(workers)
}

/** Creates by many clients, and updates of one object by one: two writers of one object would only conflict. */
async function writes(report: Report, own: ServerProcess, bare: ServerProcess): Promise<void> {
  await teach(bare, await bodyOf(own, `${maps}/first`))
  let made = 0
  const post = (): Buffer => requestBytes('POST', maps, mapText(`c${made++}`))
  await compare(report, 'create in memory', own, bare, { next: post, connections: 16, ms: 500 })
  const put = (count: number): Buffer =>
    requestBytes('PUT', `${maps}/first`, mapText('first', `${count}${payload}`))
  const update = { next: put, connections: 1, ms: 500 }
  await compare(report, 'update in memory, one writer', own, bare, update)
}

/** One change to many watchers: the time until the last of them has it. */
async function fanOut(report: Report, own: ServerProcess, bare: ServerProcess): Promise<void> {
  const { event } = await watchAll(own.address, maps, 1, [mapText('fan')])
  const [figures, limits]: [number[], number[]] = [[], []]
  for (let round = 0; round < fanOuts; round++) {
    const texts = Array.from({ length: changes }, (_, at) => mapText(`fan${round}-${at}`))
    await teach(bare, Buffer.from('{"metadata":{"resourceVersion":"1"}}'))
    limits.push((await watchAll(bare.address, maps, watchers, texts, () => teach(bare, event))).ms)
    figures.push((await watchAll(own.address, maps, watchers, texts)).ms)
  }
  const limit = { name: 'node:http writing the same bytes', value: median(limits) }
  const goal = { atMost: 1.2, of: 'limit' } as const
  report(`one event to ${watchers} watchers`, median(figures), 'ms', limit, goal)
}
