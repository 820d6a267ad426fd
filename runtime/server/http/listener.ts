import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Log } from '../../observe/observe.ts'
import { loadSecureServer, type TlsSource } from '../../serving/serving.ts'
import type { Limits } from './limits.ts'
import { bindPort, type PortOpener, sharePort } from './port.ts'
import { type UpgradeHandler, upgradableMessage } from './websocket.ts'

/** A listener for the requests of node:http. */
export type NodeHandler = (message: IncomingMessage, response: ServerResponse) => void

/** An address to listen on. */
export interface ListenOptions {
  /** A name or an address of this machine. Default 127.0.0.1. */
  readonly host?: string
  /** 0 picks one that is free. */
  readonly port: number
  /** Opens a port that other listeners have as well. Default: binds one for this listener alone. */
  readonly openPort?: PortOpener
  /** Speaks TLS, and shows this. Default: plain HTTP. */
  readonly tls?: TlsSource
  /** Closes the listener when it aborts. */
  readonly signal?: AbortSignal
}

/** A bound address. */
export interface Listener {
  readonly host: string
  readonly port: number
  /** `http://<address>:<port>` or `https://`, an IPv6 address in brackets. */
  readonly url: string
  /** Resolves once the listener and all its connections are closed. */
  readonly closed: Promise<void>
  /** Takes no new requests, waits ten seconds for those that are being served, then ends every connection. */
  close(): Promise<void>
}

/** Milliseconds that requests which are being served get to finish when their listener closes. */
const graceMs = 10_000

/** Milliseconds between two searches for slow senders. The timeouts are exact to this much; node:http checks every 30 s. */
function checkingIntervalMs({ headersMs, receiveMs }: Limits): number {
  return Math.max(20, Math.min(5000, headersMs / 2, receiveMs / 2))
}

/** What a listener hands its requests to, and what bounds them. */
export interface ListenerOptions {
  readonly handle: NodeHandler
  readonly upgrade: UpgradeHandler
  /** True for the paths at which any request may turn its connection into one of another protocol. */
  readonly mayUpgrade: (url: string) => boolean
  /** Ends the responses that would not end by themselves. Called when the listener closes. */
  readonly endStreams: () => void
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
}

/**
 * Binds an address and serves its requests.
 *
 * @throws the error of node:net if the address cannot be bound, such as one with the code EADDRINUSE.
 */
export async function openListener(
  { host = '127.0.0.1', port: number, openPort, tls, signal }: ListenOptions,
  { handle, upgrade, mayUpgrade, endStreams, clock, log, limits }: ListenerOptions,
): Promise<Listener> {
  const settings = {
    IncomingMessage: upgradableMessage(mayUpgrade),
    keepAlive: true,
    keepAliveTimeout: limits.idleMs,
    noDelay: true,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: Math.min(limits.headersMs, limits.receiveMs),
    requestTimeout: limits.receiveMs,
    connectionsCheckingInterval: checkingIntervalMs(limits),
  } as const
  const secure = tls && (await loadSecureServer()).createSecureServer(tls, settings)
  const server = secure?.server ?? createServer(settings)
  server.maxConnections = limits.connections
  reportDrops(server, clock, log)
  const upgraded = new Set<Duplex>()
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    upgrade(request, socket, head)
  })
  const cut = (): void => {
    server.closeAllConnections()
    for (const socket of [...upgraded, ...(secure?.sockets ?? [])]) socket.destroy()
  }
  let open = true
  const active = trackRequests(server, handle, () => open)
  const where = { host, port: number }
  const port = await (openPort ? sharePort(server, openPort, where) : bindPort(server, where))
  const { address, closed } = port
  const close = (): Promise<void> => {
    if (open) {
      open = false
      void closed.then(clock.after(graceMs, cut))
      port.close()
      endRequests(server, active, endStreams)
    }
    for (const socket of secure?.silent ?? []) socket.destroy()
    return closed
  }
  signal?.addEventListener('abort', close, { once: true })
  closed.then(() => signal?.removeEventListener('abort', close))
  if (signal?.aborted) void close()
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    host: address.address,
    port: address.port,
    url: `${tls ? 'https' : 'http'}://${name}:${address.port}`,
    closed,
    close,
  }
}

/** Milliseconds between two lines of the log that tell of connections which were closed as they came. */
const dropsMs = 60_000

/** Tells the log of connections that were closed because there are too many: of the first at once, then how many in a minute. */
function reportDrops(server: Server, clock: Clock, log: Log): void {
  let dropped = 0
  let waiting = false
  const tell = (): void => {
    if (dropped === 0) return
    log.warn('too many connections: new ones are closed', { open: server.maxConnections, dropped })
    dropped = 0
    waiting = true
    clock.after(dropsMs, () => {
      waiting = false
      tell()
    })
  }
  server.on('drop', () => {
    dropped++
    if (!waiting) tell()
  })
}

/** The requests of a listener whose responses are not finished. */
interface ActiveRequests {
  count: number
  /** Called when there is none left. */
  idle: () => void
}

/**
 * Counts requests, and serves those of one connection one after the other: what a request does shows to the next one, and a
 * connection that sends many at once takes turns with the others. Those that still come while the server closes end it.
 */
function trackRequests(server: Server, handle: NodeHandler, isOpen: () => boolean): ActiveRequests {
  const active: ActiveRequests = { count: 0, idle: () => {} }
  const queues = new WeakMap<Socket, RequestQueue>()
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    active.count++
    response.on('close', () => {
      active.count--
      if (active.count === 0) active.idle()
      serveNext(request.socket)
    })
    if (isAmbiguous(request)) return void response.writeHead(400, { Connection: 'close' }).end()
    if (!isOpen()) response.setHeader('Connection', 'close')
    handle(request, response)
  }
  const serveNext = (socket: Socket): void => {
    const queue = queues.get(socket)
    const next = queue?.waiting[queue.head++]
    if (next === undefined) queues.delete(socket)
    else setImmediate(() => (socket.destroyed ? queues.delete(socket) : serve(...next)))
  }
  server.on('request', (request, response) => {
    const { socket } = request
    const queue = queues.get(socket)
    if (queue !== undefined) return void queue.waiting.push([request, response])
    queues.set(socket, { waiting: [], head: 0 })
    serve(request, response)
  })
  return active
}

/** The requests of a connection that came while one was served. */
interface RequestQueue {
  readonly waiting: [IncomingMessage, ServerResponse][]
  head: number
}

/** True for a request with several hosts, of which a proxy may have seen another one, and for one of HTTP/0.9. */
function isAmbiguous({ rawHeaders, httpVersionMajor }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 || httpVersionMajor < 1
}

/** Ends streams, and closes idle connections as soon as no request is left. */
function endRequests(server: Server, active: ActiveRequests, endStreams: () => void): void {
  active.idle = () => server.closeAllConnections()
  endStreams()
  if (active.count === 0) server.closeAllConnections()
}
