/** The side of a client of a WebSocket, as streaming servers of runtimes speak it: binary messages, each whole. */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { RuntimeError } from '../contract/runtime-error.ts'

/** An open connection. */
export interface WebSocket {
  /** The protocol that the server chose. */
  readonly protocol: string
  /** False if the other side should be waited for. */
  send(message: Buffer): boolean
  onMessage(take: (message: Buffer) => void): void
  /** Calls `go` once when the other side has taken what was sent. */
  onDrain(go: () => void): void
  onClose(closed: () => void): void
  pause(): void
  resume(): void
  close(): void
}

const mostMessage = 16 * 1024 * 1024
/** Milliseconds within which a server has to take a connection. */
const openMs = 30_000
const binary = 2
const closing = 8
const ping = 9
const pong = 10

/** Connects. @throws a RuntimeError with what the server said. */
export function openWebSocket(url: string, protocols: readonly string[]): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        'sec-websocket-protocol': protocols.join(', '),
      },
    })
    asked.setTimeout(openMs, () => asked.destroy(new Error('the runtime does not take a stream')))
    asked.once('error', (error) => reject(new RuntimeError('Unavailable', error.message)))
    asked.once('response', (response) => {
      response.resume()
      reject(new RuntimeError('Unknown', `the runtime answers ${response.statusCode} to a stream`))
    })
    asked.once('upgrade', (response, socket, head) => {
      socket.setTimeout(0)
      const protocol = response.headers['sec-websocket-protocol'] ?? ''
      resolve(overSocket(socket as Socket, head, protocol))
    })
    asked.end()
  })
}

function overSocket(socket: Socket, head: Buffer, protocol: string): WebSocket {
  let rest = Buffer.alloc(0)
  let parts: Buffer[] = []
  let take: (message: Buffer) => void = () => {}
  const read = (more: Buffer) => {
    rest = Buffer.concat([rest, more])
    for (;;) {
      const frame = readFrame(rest)
      if (frame === undefined) return
      if (frame === 'too long') return void socket.destroy()
      rest = rest.subarray(frame.length)
      if (frame.code === ping) socket.write(frameOf(pong, frame.payload))
      else if (frame.code === closing) return void socket.end(frameOf(closing, frame.payload))
      else if (frame.code <= binary) {
        parts.push(frame.payload)
        if (!frame.isLast) continue
        take(Buffer.concat(parts))
        parts = []
      }
    }
  }
  socket.on('error', () => {})
  return {
    protocol,
    send: (message) => socket.writable && socket.write(frameOf(binary, message)),
    onMessage(taker) {
      take = taker
      read(head)
      socket.on('data', read)
    },
    onDrain: (go) => socket.once('drain', go),
    onClose: (closed) => socket.once('close', closed),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.destroy(),
  }
}

interface Frame {
  readonly code: number
  readonly isLast: boolean
  readonly payload: Buffer
  readonly length: number
}

function readFrame(bytes: Buffer): Frame | 'too long' | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const short = second & 127
  const start = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < start) return undefined
  const size =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  if (size > mostMessage) return 'too long'
  const length = start + size
  if (bytes.length < length) return undefined
  const payload = bytes.subarray(start, length)
  return { code: first & 15, isLast: (first & 128) !== 0, payload, length }
}

/** A frame of a client, whose bytes are masked as the protocol asks for. */
function frameOf(code: number, payload: Buffer): Buffer {
  const size = payload.length
  const extended = size < 126 ? 0 : size < 65_536 ? 2 : 8
  const frame = Buffer.alloc(2 + extended + 4 + size)
  frame[0] = 128 | code
  frame[1] = 128 | (extended === 0 ? size : extended === 2 ? 126 : 127)
  if (extended === 2) frame.writeUInt16BE(size, 2)
  if (extended === 8) frame.writeBigUInt64BE(BigInt(size), 2)
  const mask = randomBytes(4)
  mask.copy(frame, 2 + extended)
  const start = 6 + extended
  for (let at = 0; at < size; at++) frame[start + at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0)
  return frame
}
