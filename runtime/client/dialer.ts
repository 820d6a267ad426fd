import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { portOf, unbracketed } from './address.ts'
import type { ConnectionConfig, Credentials } from './connection-config.ts'
import type { Headers } from './credentials.ts'
import { openTunnel, type ProxyAddress, parseProxy, proxyAuthorization } from './proxy.ts'
import type { TransportRequest } from './transport.ts'

/** Begins requests over connections that are kept. */
export interface Dialer {
  start(path: string, request: TransportRequest, headers: Headers): ClientRequest
  /** Keeps no connection any more; requests under way go on. */
  retire(): void
  /** Closes every connection. */
  close(): void
}

/** A dialer for the server of `url`, with the certificates of `credentials`. */
export function createDialer(
  url: URL,
  config: Partial<ConnectionConfig>,
  credentials: Credentials,
): Dialer {
  const secure = url.protocol === 'https:'
  const proxy = config.proxy === undefined ? undefined : parseProxy(config.proxy)
  const tls = secure ? tlsOptions(config, credentials) : undefined
  const agent = createAgent(url, tls, proxy)
  const forwarded = proxy !== undefined && proxy.kind !== 'socks5' && !secure ? proxy : undefined
  const target = {
    host: unbracketed(url.hostname),
    port: portOf(url),
  }
  return {
    start: (path, { method, signal }, headers) =>
      open({
        agent,
        method,
        ...(signal !== undefined && { signal }),
        ...(forwarded === undefined
          ? { ...target, path, headers: headers as RequestOptions['headers'] }
          : throughProxy(forwarded, url, path, headers)),
      }),
    retire() {
      agent.maxFreeSockets = 0
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy()
      }
    },
    close: () => agent.destroy(),
  }

  function open(options: RequestOptions): ClientRequest {
    return secure || forwarded?.kind === 'https' ? httpsRequest(options) : httpRequest(options)
  }
}

const kept = { keepAlive: true, keepAliveMsecs: 30_000, scheduling: 'lifo' } as const

/** An agent whose connections lead to the server: straight, or by a tunnel through a proxy. */
function createAgent(
  url: URL,
  tls: ConnectionOptions | undefined,
  proxy: ProxyAddress | undefined,
): HttpAgent {
  const plain = tls === undefined && proxy?.kind !== 'https'
  const agent = plain ? new HttpAgent(kept) : new HttpsAgent({ ...kept, ...tls })
  if (proxy === undefined || (tls === undefined && proxy.kind !== 'socks5')) return agent
  const host = unbracketed(url.hostname)
  return Object.assign(agent, {
    createConnection(_: unknown, done: (error: Error | null, socket?: unknown) => void): undefined {
      openTunnel(proxy, host, portOf(url)).then((socket) => {
        if (tls === undefined) return done(null, socket)
        const servername = tls.servername ?? host
        const named = /^[\d.]+$|:/.test(servername) ? {} : { servername }
        const secured = connectTls({ host, ...tls, ...named, socket, ALPNProtocols: ['http/1.1'] })
        secured.once('secureConnect', () => done(null, secured)).once('error', done)
      }, done)
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

function tlsOptions(
  { serverName, insecure }: Partial<ConnectionConfig>,
  { ca, cert, key }: Credentials,
): ConnectionOptions {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(insecure === true && { rejectUnauthorized: false }),
  }
}
