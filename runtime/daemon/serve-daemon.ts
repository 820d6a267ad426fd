import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import type { Clock } from '../kernel/async/clock.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import { collectProcessMetrics, type Log } from '../observe/observe.ts'
import { loadSecureServer, type TlsSource } from '../serving/serving.ts'
import { type DaemonAccess, guard } from './access.ts'
import type { DaemonPage } from './daemon-page.ts'
import { sendText } from './endpoint-context.ts'
import { type DaemonEndpoints, daemonEndpoints } from './endpoints.ts'

/** What a daemon tells about itself, and where. */
export interface ServeDaemonOptions extends Omit<DaemonEndpoints, 'brand'> {
  /** Names the metrics of health and of the process. */
  readonly platform: Platform
  /** Default 127.0.0.1; port 0 picks a free one. */
  readonly listen: { readonly host?: string; readonly port: number }
  /** Speaks TLS, and shows this. Default: plain HTTP. */
  readonly tls?: TlsSource
  /** Who may ask for what. Default: everyone for everything. */
  readonly access?: Omit<DaemonAccess, 'log'>
  /** Asked before the endpoints. */
  readonly pages?: readonly DaemonPage[]
}

/** A daemon's endpoints on a bound address. */
export interface DaemonServer {
  /** Where programs of this machine reach it: one that listens on every address is named by that of loopback. */
  readonly url: string
  /** `readyz` fails from now on; everything else goes on. */
  drain(): void
  /** Lets requests under way finish for ten seconds, then closes. Resolves when nothing is left. */
  stop(): Promise<void>
}

/** Milliseconds that requests under way get when the server stops. */
const graceMs = 10_000

/**
 * Serves health, metrics and configuration of a daemon, with the checks `ping` and `shutdown` beside its own.
 *
 * @throws the error of node:net if the address cannot be bound.
 * @example
 * const server = await serveDaemon({
 *   platform, clock, log, metrics,
 *   checks: [{ name: 'leader-election', check: () => election.check() }],
 *   configz: () => ({ 'controllermanager.config.orch.io': config }),
 *   listen: { port: 10257 },
 * })
 */
export async function serveDaemon(options: ServeDaemonOptions): Promise<DaemonServer> {
  const { platform, clock, log, metrics, listen } = options
  let draining = false
  const shutdown = (): void => {
    if (draining) throw new Error('process is shutting down')
  }
  const checks = [
    { name: 'ping', check: () => {} },
    ...options.checks,
    { name: 'shutdown', endpoints: ['readyz'], check: shutdown } as const,
  ]
  collectProcessMetrics(metrics, platform, clock)
  const koa = application({ ...options, checks, brand: platform.brand }, log)
  const { server, isSecure, cut } = await serverOf(koa, options.tls)
  server.maxConnections = 1000
  const url = `${isSecure ? 'https' : 'http'}://${await bind(server, listen)}`
  let stopped: Promise<void> | undefined
  return {
    url,
    drain() {
      draining = true
    },
    stop() {
      draining = true
      stopped ??= close(server, cut, clock)
      return stopped
    },
  }
}

const settings = { requestTimeout: 20_000, maxHeaderSize: 32 * 1024 }

/** A server that listens nowhere yet, and what ends its connections in the midst of a handshake. */
async function serverOf(
  koa: Koa,
  tls: TlsSource | undefined,
): Promise<{ server: Server; isSecure: boolean; cut: () => void }> {
  if (tls === undefined) {
    return { server: createServer(settings, koa.callback()), isSecure: false, cut: () => {} }
  }
  const { createSecureServer } = await loadSecureServer()
  const timeouts = { ...settings, headersTimeout: 10_000 }
  const { server, sockets } = createSecureServer(tls, timeouts)
  server.on('request', koa.callback())
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return { server, isSecure: true, cut }
}

/** The Koa application of a daemon: its endpoints, and 404 for everything else. */
function application(
  {
    access,
    pages = [],
    ...endpoints
  }: DaemonEndpoints & Pick<ServeDaemonOptions, 'access' | 'pages'>,
  log: Log,
): Koa {
  const koa = new Koa()
  koa.on('error', (error: unknown) => log.error('request failed', {}, error))
  if (access !== undefined) koa.use(guard({ ...access, log }))
  for (const page of pages) koa.use(page)
  koa.use(daemonEndpoints(endpoints))
  koa.use((ctx) => sendText(ctx, 404, '404 page not found\n'))
  return koa
}

/** Addresses that stand for every address of the machine, with one that leads to it. */
const reachable: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** Resolves to host and port of a URL that leads to the bound address. */
async function bind(
  server: Server,
  { host = '127.0.0.1', port }: ServeDaemonOptions['listen'],
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  const name = reachable.get(address) ?? address
  return `${family === 'IPv6' ? `[${name}]` : name}:${bound}`
}

/** Idle connections are closed at once, others with their responses, all of them after `graceMs`. */
async function close(server: Server, cut: () => void, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  const cancel = clock.after(graceMs, () => {
    server.closeAllConnections()
    cut()
  })
  server.close()
  server.closeIdleConnections()
  await closed
  cancel()
}
