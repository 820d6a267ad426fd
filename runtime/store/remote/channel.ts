/**
 * Messages between two processes of one program, over one end of a socket. What is sent in one turn of the event loop is one write; values
 * arrive as they were, bytes among them.
 */
import type { Duplex } from 'node:stream'
import { deserialize, serialize } from 'node:v8'

/** Bytes that may wait to be written before `drained` waits. */
const highWaterBytes = 1024 * 1024

/** The length of what follows stands before each frame. */
const headBytes = 4

/** Who hears of a channel. */
export interface ChannelEvents<In> {
  readonly heard: (message: In) => void
  /** The other end is gone, or this one was closed. */
  readonly ended: () => void
}

/** One end. */
export class Channel<Out, In> {
  readonly #socket: Duplex
  readonly #events: ChannelEvents<In>
  #outgoing: Out[] = []
  #incoming: Buffer[] = []
  #arrived = 0
  #ended = false

  constructor(socket: Duplex, events: ChannelEvents<In>) {
    this.#socket = socket
    this.#events = events
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', () => {})
    socket.on('close', () => this.#end())
    socket.on('end', () => this.#end())
  }

  /** Sends a message with the others of this turn, in order. Does nothing once the channel has ended. */
  send(message: Out): void {
    if (this.#ended) return
    this.#outgoing.push(message)
    if (this.#outgoing.length === 1) setImmediate(() => this.#flush())
  }

  /** Resolves when there is room for more, or nothing can be sent any more. */
  async drained(): Promise<void> {
    this.#flush()
    const socket = this.#socket
    if (this.#ended || socket.writableLength < highWaterBytes) return
    await new Promise<void>((resolve) => {
      const go = (): void => {
        socket.off('drain', go)
        socket.off('close', go)
        resolve()
      }
      socket.on('drain', go)
      socket.on('close', go)
    })
  }

  /** Sends what waits, and ends. */
  close(): void {
    this.#flush()
    this.#end()
    this.#socket.end(() => this.#socket.destroy())
  }

  #flush(): void {
    if (this.#outgoing.length === 0 || this.#ended) return
    const body = serialize(this.#outgoing)
    this.#outgoing = []
    const head = Buffer.allocUnsafe(headBytes)
    head.writeUInt32BE(body.length)
    this.#socket.cork()
    this.#socket.write(head)
    this.#socket.write(body)
    this.#socket.uncork()
  }

  #take(chunk: Buffer): void {
    this.#incoming.push(chunk)
    this.#arrived += chunk.length
    while (this.#arrived >= headBytes) {
      const length = headBytes + this.#first(headBytes).readUInt32BE()
      if (this.#arrived < length) return
      const bytes = this.#first(length)
      this.#arrived -= length
      const [, ...behind] = this.#incoming
      const rest = bytes.subarray(length)
      this.#incoming = rest.length > 0 ? [rest, ...behind] : behind
      for (const message of deserialize(bytes.subarray(headBytes, length)) as In[]) {
        if (!this.#ended) this.#events.heard(message)
      }
    }
  }

  /** The first piece of what has arrived, made longer until it has so many bytes. */
  #first(bytes: number): Buffer {
    const [first] = this.#incoming
    if (first !== undefined && first.length >= bytes) return first
    const all = Buffer.concat(this.#incoming)
    this.#incoming = [all]
    return all
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#events.ended()
  }
}
