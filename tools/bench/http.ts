import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { type Address, exchange, perSecond, requestBytes, responses, watchAll } from './load.ts'

type Report = (
  name: string,
  value: number,
  unit: string,
  limit?: { name: string; value: number },
) => void

const maps = '/api/v1/namespaces/default/configmaps'
const many = '/api/v1/namespaces/orch-public/configmaps'
const ms = 2000
const listed = 10_000
const watchers = 1000
const changes = 8
const payload = 'x'.repeat(1700)

/** Verbs over HTTP, each beside a bare node:http server that reads and sends the same bytes. */
export async function bench(report: Report): Promise<void> {
  const plane = await startControlPlane({ socket: true })
  const { hostname: host, port } = new URL(plane.url ?? '')
  const address = { host, port: Number(port) }
  await writes(report, address)
  await reads(report, address)
  await fanOut(report, address)
  await plane.stop()
}

function mapText(name: string, value = payload): string {
  return JSON.stringify({ metadata: { name, labels: { app: 'bench' } }, data: { value } })
}

async function writes(report: Report, address: Address): Promise<void> {
  const { body } = await exchange(address, requestBytes('POST', maps, mapText('first')))
  const bare = await bareServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      send(response, body)
    })
  })
  const post = (count: number): Buffer => requestBytes('POST', maps, mapText(`m${count}`))
  const limit = await perSecond(bare.address, post, ms)
  const named = { name: 'node:http with the same bytes', value: limit }
  report('create', await perSecond(address, post, ms), '/s', named)
  const put = (count: number): Buffer => {
    const name = `m${count % 64}`
    return requestBytes('PUT', `${maps}/${name}`, mapText(name, `${count}${payload}`))
  }
  report('update', await perSecond(address, put, ms), '/s', named)
  await bare.close()
}

async function reads(report: Report, address: Address): Promise<void> {
  await fill(address)
  await read(report, address, 'get', requestBytes('GET', `${maps}/first`), 16)
  await read(report, address, `list of ${listed} objects of 2 KiB`, requestBytes('GET', many), 1)
}

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

async function read(
  report: Report,
  address: Address,
  name: string,
  request: Buffer,
  connections: number,
): Promise<void> {
  const { body } = await exchange(address, request)
  const bare = await bareServer((_, response) => send(response, body))
  const value = await perSecond(bare.address, () => request, ms, connections)
  const limit = { name: 'node:http with the same bytes', value }
  report(name, await perSecond(address, () => request, ms, connections), '/s', limit)
  await bare.close()
}

/** One change to many watchers: the time until the last of them has it. */
async function fanOut(report: Report, address: Address): Promise<void> {
  const { event } = await watchAll(address, maps, 1, [mapText('fan')])
  const open: ServerResponse[] = []
  const bare = await bareServer((request, response) => {
    if (request.method === 'POST') {
      for (const one of open) one.write(event)
      send(response, Buffer.from('{}'))
      return
    }
    if (!request.url?.includes('watch')) {
      send(response, Buffer.from('{"metadata":{"resourceVersion":"1"}}'))
      return
    }
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.flushHeaders()
    open.push(response)
  })
  const texts = Array.from({ length: changes }, (_, at) => mapText(`fan${at}`))
  const value = (await watchAll(bare.address, maps, watchers, texts)).ms
  const own = await watchAll(address, maps, watchers, texts)
  const limit = { name: 'node:http writing the same bytes', value }
  report(`one event to ${watchers} watchers`, own.ms, 'ms', limit)
  await bare.close()
}

interface BareServer {
  readonly address: Address
  readonly close: () => Promise<void>
}

async function bareServer(listener: RequestListener): Promise<BareServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
  response.end(body)
}
