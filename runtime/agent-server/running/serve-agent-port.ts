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
import type { AgentPage } from '../pages/agent-page.ts'
import { logFilesPage } from '../pages/log-files.ts'
import {
  containerLogsPage,
  containerPath,
  podsPage,
  runningPodsPage,
  runPage,
} from '../pages/pod-pages.ts'
import { metricsPage, statsPage } from '../pages/stats-pages.ts'
import { type AgentAccess, checkAccess } from './access.ts'
import { attach, forwardPorts, runCommand } from './run-command.ts'

/** What a port serves, and where. */
export interface AgentPortOptions {
  readonly view: NodeView
  /** Health, metrics and configuration. */
  readonly endpoints: Omit<DaemonEndpoints, 'clock' | 'log'>
  readonly listen: { readonly host: string; readonly port: number }
  /** Speaks TLS, and shows this. Default: plain HTTP. */
  readonly tls?: TlsSource
  /** Who may ask for what. Default: everyone for everything. */
  readonly access?: AgentAccess
  /** Serves logs, commands and ports, not only what is known of pods. */
  readonly handlers: boolean
  /** Serves profiles, and lets the detail of the log be changed. */
  readonly profiling?: boolean
  /** Whose files `/logs/` serves; without it there is no such page. */
  readonly logFolder?: string
}

/** A bound port. */
export interface AgentPort {
  readonly port: number
  /** Ends every connection. */
  stop(): Promise<void>
}

type Upgrade = typeof runCommand

/** Binds a port and serves it. @throws the error of node:net if the address cannot be bound. */
export async function serveAgentPort(options: AgentPortOptions): Promise<AgentPort> {
  const { view, access, listen, tls } = options
  const { log, nodeName } = view
  const pages = pagesOf(options)
  const upgrades = options.handlers ? upgradesOf() : new Map<string, Upgrade>()
  const others = otherPages(options)
  const sockets = new Set<Duplex>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (access !== undefined) await checkAccess(access, request, nodeName, log)
      const { first, rest, query } = pathOf(request)
      const page = (first === 'metrics' && metricsPage(rest)) || pages.get(first)
      const { method = '' } = request
      if (upgrades.has(first)) throw new Refusal(400, 'Upgrade request required')
      if (page === undefined) return others(request, response)
      await page({ view, method, rest, query, request, response })
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
      const { first, rest, query } = pathOf(request)
      const run = upgrades.get(first)
      if (run === undefined || upgradeOf(request.headers) === undefined) {
        throw new Refusal(404, '404 page not found')
      }
      const { api, publicApi = api } = view.platform
      const suffixes = [...new Set([api, publicApi])]
      const path = first === 'portForward' ? podPath(rest) : containerPath(rest)
      await run(view, path, query, { request, socket, head, suffixes })
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

function pagesOf({ handlers, logFolder }: AgentPortOptions): ReadonlyMap<string, AgentPage> {
  return new Map<string, AgentPage>([
    ['pods', podsPage],
    ['stats', statsPage()],
    ...(handlers
      ? ([
          ['runningpods', runningPodsPage],
          ['containerLogs', containerLogsPage],
          ['run', runPage],
        ] as const)
      : []),
    ...(handlers && logFolder !== undefined ? ([['logs', logFilesPage(logFolder)]] as const) : []),
  ])
}

function upgradesOf(): ReadonlyMap<string, Upgrade> {
  return new Map<string, Upgrade>([
    ['exec', runCommand],
    ['attach', attach],
    ['portForward', forwardPorts],
  ])
}

/** What every daemon serves, and 404 for everything else. */
function otherPages({ view, endpoints, profiling }: AgentPortOptions): ReturnType<Koa['callback']> {
  const { log, clock } = view
  const koa = new Koa()
  koa.on('error', (error: unknown) => log.error('request failed', {}, error))
  const pages: readonly DaemonPage[] = profiling ? [profilePages(), flagPages(log)] : []
  for (const page of pages) koa.use(page)
  koa.use(daemonEndpoints({ ...endpoints, clock, log }))
  koa.use((ctx) => {
    ctx.status = 404
    ctx.set(textHeaders)
    ctx.body = '404 page not found\n'
  })
  return koa.callback()
}

/** The path of a request as steps. @throws Refusal for one that cannot be decoded. */
function pathOf({ url = '' }: IncomingMessage): {
  readonly first: string
  readonly rest: readonly string[]
  readonly query: URLSearchParams
} {
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  try {
    const [first = '', ...rest] = path.split('/').filter(Boolean).map(decodeURIComponent)
    return { first, rest, query: new URLSearchParams(at < 0 ? '' : url.slice(at)) }
  } catch {
    throw new Refusal(400, 'the path cannot be decoded')
  }
}

function podPath(rest: readonly string[]) {
  const [namespace = '', name = '', uid, ...more] = rest
  if (name === '' || more.length > 0) throw new Refusal(404, 'expected <namespace>/<pod>[/<uid>]')
  return { namespace, name, uid, container: '' }
}
