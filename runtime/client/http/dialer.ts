import type { LookupFunction } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../kernel/async/clock.ts'
import type { ConnectionConfig, Credentials } from './connection-config.ts'
import type { Headers } from './credentials.ts'
import type { Dialer, RawResponse } from './dialer-contract.ts'
import { createHttp1Dialer, type Http1Dialer } from './http1-dialer.ts'
import { Http2Pool } from './http2-pool.ts'
import { parseProxy } from './proxy.ts'
import { openSecured, tlsOptions } from './secured-socket.ts'
import type { TransportRequest } from './transport.ts'

/** What connections are opened with. */
export interface DialerSurroundings {
  readonly clock: Clock
  readonly lookup: LookupFunction
}

/** A dialer for the server of `url`, with the certificates of `credentials`. */
export function createDialer(
  url: URL,
  config: Partial<ConnectionConfig>,
  credentials: Credentials,
  { clock, lookup }: DialerSurroundings,
): Dialer {
  const proxy = config.proxy === undefined ? undefined : parseProxy(config.proxy)
  const tls = url.protocol === 'https:' ? { ...tlsOptions(config, credentials), lookup } : undefined
  const http1 = createHttp1Dialer(url, tls, proxy, lookup)
  if (tls === undefined || config.http2 === false) return http1
  const protocols = ['h2', 'http/1.1']
  const http2 = new Http2Pool(url.origin, clock, async (signal) => {
    const socket = await openSecured(url, { ...tls, ALPNProtocols: protocols }, proxy, signal)
    if (socket.alpnProtocol !== 'h2') throw new OnlyHttp1(socket)
    return socket
  })
  return new NegotiatingDialer(http1, http2)
}

/** The server chose HTTP/1.1 for a connection. */
class OnlyHttp1 extends Error {
  readonly socket: TLSSocket

  constructor(socket: TLSSocket) {
    super('the server speaks HTTP/1.1')
    this.socket = socket
  }
}

/** Speaks HTTP/2 for as long as the server chooses it for new connections; from then on HTTP/1.1. */
class NegotiatingDialer implements Dialer {
  readonly #http1: Http1Dialer
  readonly #http2: Http2Pool
  #onlyHttp1 = false

  constructor(http1: Http1Dialer, http2: Http2Pool) {
    this.#http1 = http1
    this.#http2 = http2
  }

  send(path: string, request: TransportRequest, headers: Headers): Promise<RawResponse> {
    if (this.#onlyHttp1) return this.#http1.send(path, request, headers)
    return this.#http2.send(path, request, headers).catch((error: unknown) => {
      if (!(error instanceof OnlyHttp1)) throw error
      if (!this.#onlyHttp1) this.#http1.adopt(error.socket)
      this.#onlyHttp1 = true
      return this.#http1.send(path, request, headers)
    })
  }

  retire(): void {
    this.#http1.retire()
    this.#http2.retire()
  }

  close(): void {
    this.#http1.close()
    this.#http2.close()
  }
}
