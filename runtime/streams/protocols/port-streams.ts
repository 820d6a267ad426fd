/** Connections to ports that run over one connection to a client. */
import type { Duplex, Readable, Writable } from 'node:stream'
import type { Clock } from '../../kernel/async/clock.ts'
import { SpdySession, type SpdyStream } from '../spdy/spdy-session.ts'
import { acceptWebsocket } from './accept-websocket.ts'
import {
  acceptSpdy,
  listed,
  UpgradeRefused,
  type UpgradeRequest,
  upgradeOf,
} from './negotiation.ts'
import { WebsocketChannels } from './websocket-channels.ts'

/** One connection to a port. */
export interface PortConnection {
  readonly port: number
  readonly input: Readable
  readonly output: Writable
  /** Tells why the connection cannot be; nothing for one that ended well. */
  finish(problem?: string): void
}

/** Milliseconds that a client has for the second stream of a connection. */
const openingMs = 30_000

/** Calls `connect` with each connection that the client wants. Resolves when the client is gone. @throws UpgradeRefused before the upgrade. */
export async function acceptPorts(
  upgrade: UpgradeRequest,
  ports: readonly number[],
  clock: Clock,
  connect: (connection: PortConnection) => void,
): Promise<void> {
  const { request, suffixes } = upgrade
  switch (upgradeOf(request.headers)) {
    case 'spdy':
      return overSpdy(acceptSpdy(upgrade, ['portforward']), clock, connect)
    case 'websocket': {
      const offered = listed(request.headers['sec-websocket-protocol'])
      if (suffixes.some((suffix) => offered.includes(`SPDY/3.1+portforward.${suffix}`))) {
        const { createWebSocketStream } = await import('ws')
        const { websocket } = await acceptWebsocket(upgrade, ['SPDY/3.1+portforward'])
        return overSpdy(createWebSocketStream(websocket), clock, connect)
      }
      return overWebsocket(upgrade, ports, connect)
    }
    default:
      throw new UpgradeRefused(400, 'Upgrade request required')
  }
}

/** Each connection is two streams of one request id: one for failures, then one for data. */
function overSpdy(
  carrier: Duplex,
  clock: Clock,
  connect: (connection: PortConnection) => void,
): Promise<void> {
  const waiting = new Map<string, { readonly error: SpdyStream; readonly cancel: () => void }>()
  const session = new SpdySession(carrier, (stream) => {
    const { headers } = stream
    const port = portOf(headers.get('port') ?? '')
    const id = headers.get('requestid') ?? headers.get('port') ?? ''
    const type = headers.get('streamtype')
    if (port === undefined) return void stream.destroy()
    const pair = waiting.get(id)
    if (type === 'error' && pair === undefined) {
      stream.resume()
      const cancel = clock.after(openingMs, () => {
        waiting.delete(id)
        stream.destroy()
      })
      waiting.set(id, { error: stream, cancel })
    } else if (type === 'data' && pair !== undefined) {
      waiting.delete(id)
      pair.cancel()
      connect({
        ...{ port, input: stream, output: stream },
        finish: (problem) => finished(pair.error, stream, problem),
      })
    } else stream.destroy()
  })
  return session.closed.finally(() => {
    for (const { cancel } of waiting.values()) cancel()
  })
}

function finished(error: SpdyStream, data: SpdyStream, problem: string | undefined): void {
  if (problem !== undefined) error.write(problem)
  error.end()
  data.end()
  if (problem !== undefined) data.resume()
}

/** Two channels for each port: data, then failures. The first message of each says the port. */
async function overWebsocket(
  upgrade: UpgradeRequest,
  ports: readonly number[],
  connect: (connection: PortConnection) => void,
): Promise<void> {
  if (ports.length === 0) throw new UpgradeRefused(400, 'query parameter "port" is required')
  const known = ['v4.channel', 'v4.base64.channel']
  const { websocket, protocol } = await acceptWebsocket(upgrade, known)
  const channels = new WebsocketChannels(websocket, protocol.includes('base64'))
  const closed = new Promise<void>((resolve) => websocket.once('close', () => resolve()))
  let open = ports.length
  for (const [at, port] of ports.entries()) {
    const name = Buffer.alloc(2)
    name.writeUInt16LE(port)
    const [data, error] = [2 * at, 2 * at + 1]
    const input = channels.reader(data)
    await Promise.all([channels.send(data, name), channels.send(error, name)])
    connect({
      ...{ port, input, output: channels.writer(data) },
      async finish(problem) {
        if (problem !== undefined) await channels.send(error, Buffer.from(problem))
        open -= 1
        if (open === 0) websocket.close(1000)
      },
    })
  }
  return closed
}

/** The port that a text says. */
export function portOf(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port > 0 && port < 65536 ? port : undefined
}
