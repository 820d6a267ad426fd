/**
 * Watches over a websocket (V-08): one message for each event, binary in a format whose events have a length before them,
 * text in any other. Only a watch is upgraded; any other request with an upgrade header gets the response it would get
 * without.
 */
import { createHash } from 'node:crypto'
import { IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Log } from '../../observe/observe.ts'
import type { Limits } from './limits.ts'
import type { BodyStream, Frame, HttpRequest, RawResponse, Sink } from './message.ts'
import { nodeRequest, type StallTimer } from './node-message.ts'
import { splitUrl } from './query.ts'
import { closeFrame, frameHead, frameReader, opcodes } from './websocket-frames.ts'

/** A request of which node:http learns only that it upgrades if it is a watch that asks for a websocket. */
export class UpgradableMessage extends IncomingMessage {
  declare private asked: boolean | null

  get upgrade(): boolean {
    return this.asked === true && (this.method === 'CONNECT' || isWebsocketWatch(this))
  }

  set upgrade(value: boolean | null) {
    this.asked = value
  }
}

function isWebsocketWatch({ method, headers, url = '' }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
  const { path, query } = splitUrl(url)
  return query.flag('watch') || /^\/(api|apis\/[^/]+)\/[^/]+\/watch\//.test(path)
}

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface WebsocketOptions {
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
}

/** Answers watches that came with an upgrade. */
export function websocketWatches(
  decide: (request: HttpRequest, message: IncomingMessage) => Awaitable<RawResponse>,
  { limits, clock, log }: WebsocketOptions,
): UpgradeHandler {
  const patience: StallTimer = { after: (cut) => clock.after(limits.stalledMs, cut) }
  return (request, duplex, head) => {
    const socket = duplex as Socket
    socket.on('error', () => socket.destroy())
    const serve = async (): Promise<void> => {
      const refused = rejectionStatus(request)
      if (refused !== undefined) {
        return rejectUpgrade(
          socket,
          { status: refused, headers: [], body: new Uint8Array(0) },
          patience,
        )
      }
      const reply = await decide(nodeRequest(request, limits), request)
      const { status, headers, body } = reply
      if (status !== 200 || typeof body !== 'function')
        return rejectUpgrade(socket, reply, patience)
      return serveWebsocket(request, socket, head, headers, body, patience)
    }
    serve().catch((error: unknown) => {
      socket.destroy()
      log.error('websocket ended', {}, error)
    })
  }
}

/** A page of another site may open websockets, too, and would read what the browser lets it read nowhere else. */
function rejectionStatus({ headers }: IncomingMessage): number | undefined {
  const { origin, host } = headers
  if (headers['sec-websocket-version'] !== '13') return 426
  if (!/^[A-Za-z0-9+/]{22}==$/.test(headers['sec-websocket-key'] ?? '')) return 400
  if (origin === undefined) return undefined
  return URL.canParse(origin) && new URL(origin).host === host ? undefined : 403
}

function rejectUpgrade(
  socket: Socket,
  { status, headers, body }: Pick<RawResponse, 'status' | 'headers' | 'body'>,
  patience: StallTimer,
): void {
  const text = body instanceof Uint8Array ? body : new Uint8Array(0)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headerLines(headers),
    ...(status === 426 ? ['Sec-WebSocket-Version: 13'] : []),
    `Content-Length: ${text.length}`,
    'Connection: close',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  socket.write(text)
  endSocket(socket, patience)
}

function headerLines(headers: RawResponse['headers']): readonly string[] {
  const lines: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    for (const value of [headers[at + 1] ?? ''].flat()) lines.push(`${headers[at]}: ${value}`)
  }
  return lines
}

const handshakeId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

async function serveWebsocket(
  { headers: asked }: IncomingMessage,
  socket: Socket,
  head: Buffer,
  headers: RawResponse['headers'],
  body: BodyStream,
  patience: StallTimer,
): Promise<void> {
  const key = asked['sec-websocket-key'] ?? ''
  const protocol = protocolOf(asked['sec-websocket-protocol'])
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${createHash('sha1').update(`${key}${handshakeId}`).digest('base64')}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ...headerLines(headers).filter((line) => /^(audit-id|warning):/i.test(line)),
  ]
  socket.setNoDelay(true)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const hear = frameReader({
    control(opcode, content) {
      if (opcode === opcodes.close) closeWebsocket(socket, 1000, patience)
      if (opcode !== opcodes.ping || socket.writableNeedDrain || isClosed(socket)) return
      socket.write(Buffer.concat([frameHead(opcodes.pong, content.length), content]))
    },
    broken: () => closeWebsocket(socket, 1002, patience),
  })
  socket.on('data', hear)
  socket.on('end', () => endSocket(socket, patience))
  if (head.length > 0) hear(head)
  const binary = headerLines(headers).some((line) => /^content-type:.*;\s*stream=watch/i.test(line))
  await body(websocketSink(socket, binary, patience))
  closeWebsocket(socket, 1000, patience)
}

/** The first protocol that is no credential in disguise. */
function protocolOf(offered: string | undefined): string | undefined {
  const names = (offered ?? '').split(',').map((name) => name.trim())
  return names.find((name) => /^[\w.!#$%&'*+^`|~-]+$/.test(name) && !name.includes('bearer'))
}

function closeWebsocket(socket: Socket, code: number, patience: StallTimer): void {
  if (isClosed(socket)) return
  socket.write(closeFrame(code))
  endSocket(socket, patience)
}

/** Closes the connection when everything is taken, or nobody takes it. */
function endSocket(socket: Socket, patience: StallTimer): void {
  if (socket.destroyed) return
  socket.once(
    'close',
    patience.after(() => socket.destroy()),
  )
  socket.destroySoon()
}

function isClosed({ destroyed, writableEnded }: Socket): boolean {
  return destroyed || writableEnded
}

/** The length before an event of a format that streams with `stream=watch`: a message has a length of its own. */
const prefixBytes = 4

function websocketSink(socket: Socket, binary: boolean, patience: StallTimer): Sink {
  return {
    write({ payload }: Frame) {
      if (isClosed(socket)) return true
      const content = binary ? payload.subarray(prefixBytes) : payload
      const opcode = binary ? opcodes.binary : opcodes.text
      socket.cork()
      socket.write(frameHead(opcode, content.length))
      const ready = socket.write(content)
      socket.uncork()
      return ready
    },
    cork(writes) {
      socket.cork()
      writes()
      socket.uncork()
    },
    drained() {
      return new Promise((resolve) => {
        if (isClosed(socket) || !socket.writableNeedDrain) return resolve()
        const cancel = patience.after(() => socket.destroy())
        const done = (): void => {
          socket.off('drain', done)
          socket.off('close', done)
          cancel()
          resolve()
        }
        socket.on('drain', done)
        socket.on('close', done)
      })
    },
    onClose(run) {
      if (isClosed(socket)) run()
      else socket.once('close', run)
    },
  }
}
