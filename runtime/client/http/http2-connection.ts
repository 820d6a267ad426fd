import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Headers } from './credentials.ts'
import type { RawResponse } from './dialer-contract.ts'
import type { TransportRequest } from './transport.ts'

type Http2 = typeof import('node:http2')

/** Bytes that the server may send ahead of a reader: of one response, and of all that share the connection. */
const [streamWindow, connectionWindow] = [1024 * 1024, 16 * 1024 * 1024]

/** Megabytes that a connection may hold of what was not sent yet. */
const sessionMemory = 256

/** Milliseconds without a byte after which the server is asked whether it is there, and those in which it has to answer. */
const [silenceMs, answerMs] = [30_000, 15_000]

/** Requests after which a connection is left: the numbers of its streams run out at 2^30. */
const mostRequests = 2 ** 29

/** A request of which the server said that it did nothing, or that was never sent. */
export class NotBegun extends Error {
  constructor(cause?: Error) {
    super('the server refused the request before it looked at it', { cause })
  }
}

/** A connection that broke before the head of the response was there. */
class Broken extends Error {
  readonly code = 'ECONNRESET'
}

/** One HTTP/2 connection. */
export class Http2Connection {
  readonly #http2: Http2
  readonly #session: ClientHttp2Session
  readonly #socket: TLSSocket
  readonly #clock: Clock
  readonly #changed: () => void
  #open = 0
  #begun = 0
  #endWatch: (() => void) | undefined

  /** `changed` is called when a request has ended, and when the connection has. */
  constructor(
    http2: Http2,
    { socket, origin }: { readonly socket: TLSSocket; readonly origin: string },
    clock: Clock,
    changed: () => void,
  ) {
    this.#http2 = http2
    this.#socket = socket
    this.#clock = clock
    this.#changed = changed
    this.#session = http2.connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
      maxSessionMemory: sessionMemory,
    })
    this.#session.on('error', () => {})
    this.#session.once('goaway', changed)
    this.#session.once('close', changed)
  }

  /** Resolves once the server has said how many requests it takes at once; rejects if the connection ends before. */
  async ready(): Promise<this> {
    const session = this.#session
    await new Promise<void>((resolve, reject) => {
      session.once('remoteSettings', () => resolve())
      session.once('error', reject)
      session.once('close', () => reject(new Broken('the server closed the connection')))
    })
    session.setLocalWindowSize(connectionWindow)
    session.unref()
    return this
  }

  /** How many requests may begin now. */
  get free(): number {
    if (this.isLeft || this.#begun >= mostRequests) return 0
    return (this.#session.remoteSettings.maxConcurrentStreams ?? Infinity) - this.#open
  }

  /** True if no request may begin any more. */
  get isLeft(): boolean {
    return this.#session.closed || this.#session.destroyed
  }

  /**
   * Sends a request: at once, so that nothing is waited for once it was asked about.
   *
   * @throws NotBegun if the server has not looked at it.
   */
  send(path: string, request: TransportRequest, headers: Headers): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      request.beforeWrite?.()
      const { method, body, signal } = request
      const all = { ...headers, ':method': method, ':path': path } as Record<string, string>
      const endStream = body === undefined
      const stream = this.#session.request(all, { endStream, ...(signal && { signal }) })
      this.#count(stream)
      stream.once('response', (received: IncomingHttpHeaders) => {
        const { ':status': status, ...headers } = received
        resolve({ status: Number(status), headers, body: stream })
      })
      stream.on('error', (error) => reject(this.#wasRefused(stream) ? new NotBegun(error) : error))
      stream.once('close', () => {
        const words = 'the connection was closed before the response'
        reject(this.#wasRefused(stream) ? new NotBegun() : new Broken(words))
      })
      if (body !== undefined) stream.end(body)
    })
  }

  /** Begins no request any more; it is closed once those under way have ended. */
  retire(): void {
    this.#session.close()
  }

  /** Closes the connection, whatever is under way. */
  close(): void {
    this.#session.destroy()
  }

  #wasRefused({ id, rstCode }: ClientHttp2Stream): boolean {
    return id === undefined || rstCode === this.#http2.constants.NGHTTP2_REFUSED_STREAM
  }

  /** A connection without requests neither keeps the process alive nor is watched over. */
  #count(stream: ClientHttp2Stream): void {
    this.#begun++
    if (this.#open++ === 0) {
      this.#session.ref()
      this.#watchOver()
    }
    stream.once('close', () => {
      if (--this.#open === 0) {
        this.#endWatch?.()
        this.#session.unref()
      }
      this.#changed()
    })
  }

  /** Asks a server that is silent whether it is there; a connection without an answer is broken. */
  #watchOver(): void {
    const { bytesRead } = this.#socket
    this.#endWatch = this.#clock.after(silenceMs, () => {
      if (this.#socket.bytesRead !== bytesRead) return this.#watchOver()
      this.#endWatch = this.#clock.after(answerMs, () => {
        if (this.#socket.bytesRead !== bytesRead) return this.#watchOver()
        const why = `nothing has come over the connection for ${(silenceMs + answerMs) / 1000} s`
        this.#session.destroy(Object.assign(new Error(why), { code: 'ETIMEDOUT' }))
      })
      if (!this.#session.destroyed) this.#session.ping(() => {})
    })
  }
}
