/** A websocket whose messages begin with the number of a channel. */
import { Readable, Writable } from 'node:stream'
import type { RawData, WebSocket } from 'ws'

/** The message of version 5 that ends a channel. */
const endOfChannel = 255

/** Channels over a websocket: binary, or as text in base64. */
export class WebsocketChannels {
  readonly #websocket: WebSocket
  readonly #isText: boolean
  readonly #incoming = new Map<number, Incoming>()

  constructor(websocket: WebSocket, isText: boolean) {
    this.#websocket = websocket
    this.#isText = isText
    websocket.on('message', (data) => this.#take(bytesOf(data)))
    websocket.once('close', () => {
      for (const one of this.#incoming.values()) one.push(null)
    })
  }

  /** What comes over a channel, until it or the connection ends. */
  reader(channel: number): Readable {
    const incoming = new Incoming(() => this.#websocket.resume())
    this.#incoming.set(channel, incoming)
    return incoming
  }

  writer(channel: number): Writable {
    return new Writable({
      write: (chunk: Buffer, _, done) => void this.send(channel, chunk).then(() => done()),
    })
  }

  /** Resolves once it is sent, or the client is gone. */
  send(channel: number, bytes: Uint8Array): Promise<void> {
    const message = this.#isText
      ? `${channel}${Buffer.from(bytes).toString('base64')}`
      : Buffer.concat([Buffer.from([channel]), bytes])
    return new Promise((resolve) => this.#websocket.send(message, () => resolve()))
  }

  #take(message: Buffer): void {
    const [first = 0, second = 0] = message
    if (!this.#isText && first === endOfChannel) {
      this.#incoming.get(second)?.push(null)
      return
    }
    const channel = this.#isText ? first - 48 : first
    const rest = message.subarray(1)
    const bytes = this.#isText ? Buffer.from(rest.toString('latin1'), 'base64') : rest
    const incoming = this.#incoming.get(channel)
    if (incoming === undefined || bytes.length === 0) return
    if (!incoming.push(bytes)) this.#websocket.pause()
  }
}

class Incoming extends Readable {
  readonly #wanted: () => void
  #isEnded = false

  constructor(wanted: () => void) {
    super()
    this.#wanted = wanted
  }

  /** What comes behind the end is dropped. */
  override push(chunk: Buffer | null): boolean {
    if (this.destroyed || this.#isEnded) return true
    this.#isEnded = chunk === null
    return super.push(chunk)
  }

  override _read(): void {
    this.#wanted()
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}
