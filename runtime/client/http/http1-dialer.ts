import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { portOf, unbracketed } from './address.ts'
import type { Headers } from './credentials.ts'
import type { Dialer } from './dialer-contract.ts'
import { openTunnel, type ProxyAddress, proxyAuthorization } from './proxy.ts'
import { openSecured } from './secured-socket.ts'
import type { TransportRequest } from './transport.ts'

/** A dialer whose connections carry one request after another. */
export interface Http1Dialer extends Dialer {
  /** Takes a connection that is open already for one of the next requests. */
  adopt(socket: TLSSocket): void
}

/** A dialer of HTTP/1.1 for the server of `url`; with TLS where `tls` is given. */
export function createHttp1Dialer(
  url: URL,
  tls: ConnectionOptions | undefined,
  proxy: ProxyAddress | undefined,
  lookup: LookupFunction,
): Http1Dialer {
  const adopted: TLSSocket[] = []
  const agent = createAgent(url, tls, proxy, adopted, lookup)
  const forwarded = proxy !== undefined && proxy.kind !== 'socks5' && !tls ? proxy : undefined
  const open = tls !== undefined || forwarded?.kind === 'https' ? httpsRequest : httpRequest
  const target = { host: unbracketed(url.hostname), port: portOf(url) }
  const begin = (path: string, { method, signal }: TransportRequest, headers: Headers) =>
    open({
      agent,
      method,
      ...(signal !== undefined && { signal }),
      ...(forwarded === undefined
        ? { ...target, path, headers: headers as RequestOptions['headers'] }
        : throughProxy(forwarded, url, path, headers)),
    })
  return {
    async send(path, request, headers) {
      const body = await exchange(request, () => begin(path, request, headers))
      return { status: body.statusCode ?? 0, headers: body.headers, body }
    },
    adopt: (socket) => adopted.push(socket.on('error', () => {})),
    retire() {
      agent.maxFreeSockets = 0
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy()
      }
    },
    close() {
      for (const socket of adopted) socket.destroy()
      agent.destroy()
    },
  }
}

/**
 * Sends a request. A GET on a kept connection that the server closed at that moment is sent once more: the server did not
 * see it, and if it did, a GET changes nothing.
 */
function exchange(
  request: TransportRequest,
  begin: () => ClientRequest,
  again = request.method === 'GET',
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = begin()
    sent.on('response', resolve)
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const stale = again && sent.reusedSocket && error.code === 'ECONNRESET'
      if (stale) resolve(exchange(request, begin, false))
      else reject(error)
    })
    if (request.beforeWrite === undefined) sent.end(request.body)
    else endOnceConnected(sent, request.body, request.beforeWrite)
  })
}

/** Waits for a connection before the request is asked about and sent: between the two, nothing is waited for. */
function endOnceConnected(
  sent: ClientRequest,
  body: TransportRequest['body'],
  beforeWrite: () => void,
): void {
  const end = (): void => {
    try {
      beforeWrite()
      sent.end(body)
    } catch (error) {
      sent.destroy(error as Error)
    }
  }
  sent.once('socket', (socket) => {
    const secured = (socket as Partial<TLSSocket>).encrypted === true
    if (!socket.connecting) end()
    else socket.once(secured ? 'secureConnect' : 'connect', end)
  })
}

const kept = { keepAlive: true, keepAliveMsecs: 30_000, scheduling: 'lifo' } as const

type Connected = (error: Error | null, socket?: unknown) => void

/** An agent whose connections lead to the server: straight, or by a tunnel through a proxy; those of `adopted` come first. */
function createAgent(
  url: URL,
  tls: ConnectionOptions | undefined,
  proxy: ProxyAddress | undefined,
  adopted: TLSSocket[],
  lookup: LookupFunction,
): HttpAgent {
  const plain = tls === undefined && proxy?.kind !== 'https'
  const agent = plain
    ? new HttpAgent({ ...kept, lookup })
    : new HttpsAgent({ ...kept, lookup, ...tls })
  const tunnel = tls !== undefined || proxy?.kind === 'socks5' ? proxy : undefined
  if (tls === undefined && tunnel === undefined) return agent
  const direct = (agent as unknown as { createConnection(options: object): Duplex })
    .createConnection
  return Object.assign(agent, {
    createConnection(options: object, done: Connected): Duplex | undefined {
      const open = adopted.pop()
      if (open !== undefined && !open.destroyed) return open
      if (tunnel === undefined) return direct.call(agent, options)
      const socket =
        tls === undefined
          ? openTunnel(tunnel, unbracketed(url.hostname), portOf(url))
          : openSecured(url, { ...tls, ALPNProtocols: ['http/1.1'] }, tunnel)
      socket.then((connected) => done(null, connected), done)
      return undefined
    },
  })
}

/** A request without TLS is handed to the proxy itself, with the whole address. */
function throughProxy(
  proxy: ProxyAddress,
  url: URL,
  path: string,
  headers: Headers,
): RequestOptions {
  const host = { host: url.host, ...proxyAuthorization(proxy) }
  return {
    host: unbracketed(proxy.url.hostname),
    port: portOf(proxy.url),
    path: `${url.origin}${path}`,
    headers: { ...headers, ...host } as RequestOptions['headers'],
  } as RequestOptions
}
