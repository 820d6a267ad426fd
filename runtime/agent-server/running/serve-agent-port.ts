/** The ports of an agent: the one with TLS, and the one that only reads. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import Koa from 'koa'
import {
  type DaemonEndpoints,
  type DaemonPage,
  daemonEndpoints,
  flagPages,
  profilePages,
} from '../../daemon/daemon.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { loadSecureServer, type TlsSource } from '../../serving/serving.ts'
import { UpgradeRefused, upgradeOf } from '../../streams/streams.ts'
import type { NodeView } from '../contract/node-view.ts'
import { Refusal } from '../contract/refusal.ts'
import { containerPath } from '../pages/pod-pages.ts'
import { type AgentAccess, checkAccess } from './access.ts'
import { findPath, type PortPathOptions, portPaths } from './port-paths.ts'

/** What a port serves, and where. */
export interface AgentPortOptions extends PortPathOptions {
  readonly view: NodeView
  /** Health, metrics and configuration. */
  readonly endpoints: Omit<DaemonEndpoints, 'clock' | 'log'>
  readonly listen: { readonly host: string; readonly port: number }
  /** Speaks TLS, and shows this. Default: plain HTTP. */
  readonly tls?: TlsSource
  /** Who may ask for what. Default: everyone for everything. */
  readonly access?: AgentAccess
}

/** A bound port. */
export interface AgentPort {
  readonly port: number
  /** Ends every connection. */
  stop(): Promise<void>
}

/** Binds a port and serves it. @throws the error of node:net if the address cannot be bound. */
export async function serveAgentPort(options: AgentPortOptions): Promise<AgentPort> {
  const { view, access, listen, tls } = options
  const { log, nodeName } = view
  const paths = portPaths(options)
  const others = otherPages(options)
  const sockets = new Set<Duplex>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (access !== undefined) await checkAccess(access, request, nodeName, log)
      const { steps, query } = pathOf(request)
      const found = findPath(paths, steps, request.method ?? '')
      if (found === undefined) return others(request, response)
      if (found.page === undefined) throw new Refusal(400, 'Upgrade request required')
      await found.page({ view, rest: steps.slice(1), query, request, response })
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      const { status, text } = refusalOf(error)
      const { 'Content-Type': type, ...headers } = textHeaders
      response.writeHead(status, { 'Content-Type': type, ...headers }).end(`${text}\n`)
    }
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const written = writtenTo(socket)
    try {
      if (access !== undefined) await checkAccess(access, request, nodeName, log)
      const { steps, query } = pathOf(request)
      const [first, ...rest] = steps
      const found = findPath(paths, steps, request.method ?? '')
      if (found?.upgrade === undefined || upgradeOf(request.headers) === undefined) {
        throw new Refusal(404, '404 page not found')
      }
      const { api, publicApi = api } = view.platform
      const suffixes = [...new Set([api, publicApi])]
      const path = first === 'portForward' ? podPath(rest) : containerPath(rest)
      await found.upgrade(view, path, query, { request, socket, head, suffixes })
    } catch (error) {
      if (writtenTo(socket) === written) refuse(socket, error)
      else socket.destroy()
    }
  }

  function refusalOf(error: unknown): { readonly status: number; readonly text: string } {
    if (error instanceof Refusal || error instanceof UpgradeRefused) {
      return { status: error.status, text: error.message }
    }
    log.error('request failed', {}, error)
    return { status: 500, text: errorText(error) }
  }

  /** Answers in HTTP, where the connection is not upgraded yet. */
  function refuse(socket: Duplex, error: unknown): void {
    const { status, text } = refusalOf(error)
    const headers = Object.entries(textHeaders).map(([name, value]) => `${name}: ${value}`)
    const lines = [
      `HTTP/1.1 ${status} `,
      ...headers,
      `Content-Length: ${Buffer.byteLength(text) + 1}`,
      'Connection: close',
    ]
    socket.end(`${lines.join('\r\n')}\r\n\r\n${text}\n`)
  }

  const server = await serverOf(tls)
  server.on('request', (request, response) => void answer(request, response))
  server.on('upgrade', (request, socket, head) => void upgrade(request, socket, head))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen.port, listen.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const textHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
} as const

/** How much was answered on a connection: one that was upgraded has got more. */
function writtenTo(socket: Duplex): number | undefined {
  return (socket as { readonly bytesWritten?: number }).bytesWritten
}

const settings = { headersTimeout: 10_000, requestTimeout: 60_000, maxHeaderSize: 64 * 1024 }

async function serverOf(tls: TlsSource | undefined): Promise<Server> {
  if (tls === undefined) return createServer(settings)
  return (await loadSecureServer()).createSecureServer(tls, settings).server
}

/** What every daemon serves, and 404 for everything else. */
function otherPages({
  view,
  endpoints,
  handlers,
  profiling,
  flags,
}: AgentPortOptions): ReturnType<Koa['callback']> {
  const { log, clock } = view
  const koa = new Koa()
  koa.on('error', (error: unknown) => log.error('request failed', {}, error))
  const pages: readonly DaemonPage[] = [
    ...(handlers && profiling ? [profilePages()] : []),
    ...(handlers && flags ? [flagPages(log)] : []),
  ]
  for (const page of pages) koa.use(page)
  const { configz, ...always } = endpoints
  koa.use(daemonEndpoints({ ...always, ...(handlers && configz && { configz }), clock, log }))
  koa.use((ctx) => {
    ctx.status = 404
    ctx.set(textHeaders)
    ctx.body = '404 page not found\n'
  })
  return koa.callback()
}

/** The path of a request as steps. @throws Refusal for one that cannot be decoded. */
function pathOf({ url = '' }: IncomingMessage): {
  readonly steps: readonly string[]
  readonly query: URLSearchParams
} {
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  try {
    const steps = path.split('/').filter(Boolean).map(decodeURIComponent)
    return { steps, query: new URLSearchParams(at < 0 ? '' : url.slice(at)) }
  } catch {
    throw new Refusal(400, 'the path cannot be decoded')
  }
}

function podPath(rest: readonly string[]) {
  const [namespace = '', name = '', uid, ...more] = rest
  if (name === '' || more.length > 0) throw new Refusal(404, 'expected <namespace>/<pod>[/<uid>]')
  return { namespace, name, uid, container: '' }
}
