/** The answering side of a connection of SPDY/3.1, whose streams the other side opens. */
import { Duplex } from 'node:stream'
import {
  controlFrame,
  dataHead,
  FrameCutter,
  finFlag,
  frameTypes,
  type SpdyFrame,
  words,
} from './frames.ts'
import { BlockReader, BlockWriter } from './header-block.ts'

/** Most streams at once. */
const mostStreams = 1000
/** Most bytes in one frame that is sent. */
const frameBytes = 32 * 1024
/** The status of a stream that is refused, and of one that is given up. */
const [refused, cancelled] = [3, 5]

/** A stream of a connection that carries several. */
export class SpdyStream extends Duplex {
  readonly headers: ReadonlyMap<string, string>
  readonly #session: SpdySession
  readonly #id: number
  #resume: (() => void) | undefined
  /** Whether the other side said its last word. */
  isEnded = false

  constructor(session: SpdySession, id: number, headers: ReadonlyMap<string, string>) {
    super({ allowHalfOpen: true, autoDestroy: true })
    this.headers = headers
    this.#session = session
    this.#id = id
    this.on('error', () => {})
  }

  /** Resolves once there is room for more. */
  accept(bytes: Buffer): Promise<void> | undefined {
    if (this.destroyed || bytes.length === 0 || this.push(bytes)) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  endReading(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.push(null)
  }

  override _read(): void {
    this.#go()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    void this.#session.send(this.#id, chunk, false).then(() => done())
  }

  override _final(done: (error?: Error | null) => void): void {
    void this.#session.send(this.#id, Buffer.alloc(0), true).then(() => done())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#go()
    this.#session.forget(this.#id, !(this.isEnded && this.writableFinished))
    done(error)
  }

  #go(): void {
    this.#resume?.()
    this.#resume = undefined
  }
}

/** A connection that carries several streams. It ends with its carrier, and the streams with it. */
export class SpdySession {
  readonly #carrier: Duplex
  readonly #streams = new Map<number, SpdyStream>()
  readonly #reader = new BlockReader()
  readonly #writer = new BlockWriter()
  readonly #opened: (stream: SpdyStream) => void
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>

  /** Calls `opened` with each stream that the other side opens. */
  constructor(carrier: Duplex, opened: (stream: SpdyStream) => void) {
    this.#carrier = carrier
    this.#opened = opened
    carrier.on('error', () => carrier.destroy())
    this.closed = new Promise((resolve) => carrier.once('close', resolve))
    void this.closed.then(() => this.#end())
    void this.#run()
  }

  /** Sends what was written, and closes the connection. */
  close(): void {
    this.#carrier.end()
  }

  /** Sends bytes of a stream. Resolves when there is room for more. */
  async send(stream: number, bytes: Buffer, isLast: boolean): Promise<void> {
    let at = 0
    do {
      const part = bytes.subarray(at, at + frameBytes)
      at += part.length
      await this.#write(dataHead(stream, part.length, isLast && at >= bytes.length), part)
    } while (at < bytes.length)
  }

  /** Takes a stream off the connection; one that was not read and written to its end is given up. */
  forget(id: number, givesUp: boolean): void {
    if (!this.#streams.delete(id) || !givesUp) return
    void this.#write(controlFrame(frameTypes.rstStream, words(id, cancelled)))
  }

  async #run(): Promise<void> {
    const cutter = new FrameCutter()
    try {
      for await (const chunk of this.#carrier as AsyncIterable<Buffer>) {
        for (const frame of cutter.cut(chunk)) await this.#take(frame)
      }
    } catch {
      this.#carrier.destroy()
    }
    for (const stream of this.#streams.values()) stream.endReading()
    this.#carrier.end()
  }

  async #take(frame: SpdyFrame): Promise<void> {
    if (frame.is === 'data') {
      const stream = this.#streams.get(frame.stream)
      await stream?.accept(frame.body)
      if ((frame.flags & finFlag) !== 0) stream?.endReading()
      return
    }
    const { type, flags, body } = frame
    if (type === frameTypes.synStream) await this.#open(body, flags)
    else if (type === frameTypes.ping) await this.#answerPing(body)
    else if (type === frameTypes.headers) await this.#reader.read(body.subarray(4))
    else if (type === frameTypes.synReply) await this.#reader.read(body.subarray(4))
    else if (type === frameTypes.rstStream && body.length >= 4) {
      this.#streams.get(body.readUInt32BE(0) & 0x7fffffff)?.destroy()
    }
  }

  async #open(body: Buffer, flags: number): Promise<void> {
    if (body.length < 10) throw new Error('the opening of a stream breaks off')
    const id = body.readUInt32BE(0) & 0x7fffffff
    const headers = await this.#reader.read(body.subarray(10))
    if (this.#streams.has(id) || this.#streams.size >= mostStreams) {
      await this.#write(controlFrame(frameTypes.rstStream, words(id, refused)))
      return
    }
    const stream = new SpdyStream(this, id, headers)
    this.#streams.set(id, stream)
    await this.#write(
      controlFrame(frameTypes.synReply, Buffer.concat([words(id), await this.#writer.empty()])),
    )
    if ((flags & finFlag) !== 0) stream.endReading()
    this.#opened(stream)
  }

  /** Only pings of the other side, which have odd ids, are answered. */
  async #answerPing(body: Buffer): Promise<void> {
    if (body.length >= 4 && body.readUInt32BE(0) % 2 === 1) {
      await this.#write(controlFrame(frameTypes.ping, body.subarray(0, 4)))
    }
  }

  #write(...parts: readonly Buffer[]): Promise<void> | undefined {
    const carrier = this.#carrier
    if (carrier.destroyed || carrier.writableEnded) return undefined
    let ready = true
    for (const part of parts) if (part.length > 0) ready = carrier.write(part)
    if (ready) return undefined
    return new Promise((resolve) => {
      const done = (): void => {
        carrier.off('drain', done)
        carrier.off('close', done)
        resolve()
      }
      carrier.on('drain', done)
      carrier.on('close', done)
    })
  }

  #end(): void {
    for (const stream of this.#streams.values()) stream.destroy()
    this.#streams.clear()
    this.#reader.close()
    this.#writer.close()
  }
}
