import type { TLSSocket } from 'node:tls'
import { type Clock, keepAlive, pause } from '../../kernel/async/clock.ts'
import type { Headers } from './credentials.ts'
import type { Dialer, RawResponse } from './dialer-contract.ts'
import { Http2Connection, NotBegun } from './http2-connection.ts'
import type { TransportRequest } from './transport.ts'

/** Opens a connection on which HTTP/2 was agreed. */
export type Dial = (signal: AbortSignal) => Promise<TLSSocket>

/** How often a request is sent again that was not looked at, and milliseconds before the second time; then twice as long each. */
const [mostRefusals, firstPauseMs] = [4, 50]

/** A request that waits for a connection. */
interface Waiting {
  readonly begin: (connection: Http2Connection) => void
  readonly fail: (error: unknown) => void
}

/** HTTP/2 connections to one server: one, and a further one where all take no more requests at once. */
export class Http2Pool implements Dialer {
  readonly #origin: string
  readonly #clock: Clock
  readonly #dial: Dial
  readonly #waiting = new Set<Waiting>()
  #connections: readonly Http2Connection[] = []
  #dialing: AbortController | undefined
  #isRetired = false

  constructor(origin: string, clock: Clock, dial: Dial) {
    this.#origin = origin
    this.#clock = clock
    this.#dial = dial
  }

  async send(path: string, request: TransportRequest, headers: Headers): Promise<RawResponse> {
    let stale = request.method === 'GET'
    for (let refusals = 0; ; ) {
      try {
        return await this.#begin(path, request, headers)
      } catch (error) {
        if (error instanceof NotBegun && refusals < mostRefusals) {
          if (refusals > 0) await this.#wait(firstPauseMs * 2 ** refusals, request.signal)
          refusals++
        } else if (stale && isBroken(error)) stale = false
        else throw error
        if (request.signal?.aborted) throw error
      }
    }
  }

  retire(): void {
    this.#isRetired = true
    this.#settle()
  }

  close(): void {
    const why = new Error('the client was closed')
    this.#stopDialing(why)
    for (const waiting of [...this.#waiting]) waiting.fail(why)
    for (const connection of this.#connections) connection.close()
  }

  #begin(path: string, request: TransportRequest, headers: Headers): Promise<RawResponse> {
    const ready = this.#connections.find(({ free }) => free > 0)
    if (ready !== undefined) return ready.send(path, request, headers)
    const { signal } = request
    return new Promise<RawResponse>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const end = (): void => {
        this.#waiting.delete(waiting)
        signal?.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        end()
        if (this.#waiting.size === 0) this.#stopDialing(signal?.reason)
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        begin(connection) {
          end()
          connection.send(path, request, headers).then(resolve, reject)
        },
        fail(error) {
          end()
          reject(error)
        },
      }
      signal?.addEventListener('abort', leave)
      this.#waiting.add(waiting)
      this.#grow()
    })
  }

  /** Opens connections, one after another, until no request waits. */
  async #grow(): Promise<void> {
    if (this.#dialing !== undefined) return
    const dialing = new AbortController()
    this.#dialing = dialing
    try {
      while (this.#waiting.size > 0) {
        const left = this.#waiting.size
        await this.#open(dialing.signal)
        this.#settle()
        if (this.#waiting.size === left) throw new Error('the server takes no request')
      }
    } catch (error) {
      if (this.#dialing !== dialing) return
      for (const waiting of [...this.#waiting]) waiting.fail(error)
    } finally {
      if (this.#dialing === dialing) this.#dialing = undefined
    }
  }

  #stopDialing(why: unknown): void {
    this.#dialing?.abort(why)
    this.#dialing = undefined
  }

  async #open(signal: AbortSignal): Promise<void> {
    const socket = await this.#dial(signal)
    const http2 = await import('node:http2')
    const known = { socket, origin: this.#origin }
    const connection = new Http2Connection(http2, known, this.#clock, () => this.#settle())
    const stop = (): void => connection.close()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    await connection.ready().finally(() => signal.removeEventListener('abort', stop))
    this.#connections = [...this.#connections, connection]
  }

  /** Drops connections that are left, and begins what waits on the others. */
  #settle(): void {
    this.#connections = this.#connections.filter(({ isLeft }) => !isLeft)
    for (const connection of this.#connections) {
      for (const waiting of this.#waiting) {
        if (connection.free <= 0) break
        waiting.begin(connection)
      }
      if (this.#isRetired && this.#waiting.size === 0) connection.retire()
    }
  }

  async #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const release = keepAlive()
    await pause(this.#clock, ms, signal)
    release()
  }
}

/** True if the server may not have seen the request, because its connection ended. */
function isBroken(error: unknown): boolean {
  const { code } = error as { readonly code?: string }
  return code === 'ECONNRESET' || code === 'EPIPE' || code?.startsWith('ERR_HTTP2_') === true
}
