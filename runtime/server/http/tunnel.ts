import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RawResponse, Tunnel } from './response.ts'
import { headerLines } from './websocket-handshake.ts'

/** Joins a client and another server, which speak another protocol from now on. Each is cut off when the other one is gone. */
export function connectTunnel(
  client: Socket,
  early: Uint8Array,
  { status, headers }: Pick<RawResponse, 'status' | 'headers'>,
  { socket: server, head }: Tunnel,
): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...headerLines(headers)]
  client.setNoDelay(true)
  client.setTimeout(0)
  client.write(`${lines.join('\r\n')}\r\n\r\n`)
  if (head.length > 0) client.write(head)
  if (early.length > 0) server.write(early)
  passOn(client, server)
  passOn(server, client)
}

/** Who is gone takes the other one with it, once that has all that came before. */
function passOn(from: Duplex, to: Duplex): void {
  from.pipe(to)
  from.once('error', () => to.destroy())
  from.once('close', () => to.end(() => to.destroy()))
}
