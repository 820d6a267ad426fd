/**
 * A server in a process of its own, so that its processor time is its own: the control plane in memory or over a file, or
 * a bare node:http server that sends the last response it was given.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { collectEarly } from '../../daemons/collection.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'

const [mode, file = ''] = process.argv.slice(2)
const { url, stop } = mode === 'bare' ? await bareServer() : await controlPlane()

process.on('message', (word) => {
  if (word !== 'stop') process.send?.(process.cpuUsage())
  else stop().then(() => process.exit())
})
process.send?.({ url })

/** A server that listens. */
interface Started {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Imported here, so that the bare server loads nothing of it. */
async function controlPlane(): Promise<Started> {
  if (mode === 'without-koa') leaveOutKoa()
  collectEarly()
  const { scheme } = await import('../../generated/scheme.ts')
  const { startApiServer } = await import('../../runtime/apiserver/apiserver.ts')
  const { silentLog } = await import('../../runtime/observe/observe.ts')
  return startApiServer({
    scheme,
    storage: mode === 'file' ? { kind: 'sqlite', file } : { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
  })
}

/** Gives requests a plain object for the context that Koa makes: what is left is the chain behind a bare listener. */
function leaveOutKoa(): void {
  const plain = (req: unknown, res: unknown): unknown => ({ req, res, state: {} })
  Koa.prototype.createContext = plain as typeof Koa.prototype.createContext
}

/** PUT of `/` sets what a GET gets; what else is sent is parsed; a POST goes to all watchers. */
async function bareServer(): Promise<Started> {
  let body = Buffer.from('{"metadata":{"resourceVersion":"1"}}')
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    if (request.url?.includes('watch')) {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.flushHeaders()
      response.on('close', () => open.delete(response))
      open.add(response)
      return
    }
    if (request.method === 'GET') return send(response, body)
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const sent = Buffer.concat(chunks)
      if (request.url === '/') body = sent
      else {
        JSON.parse(sent.toString())
        if (request.method === 'POST') for (const one of open) one.write(body)
      }
      send(response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async (): Promise<void> => server.closeAllConnections()
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

/** With a length and in one piece, as the control plane answers. */
function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
  response.end(body)
}
