/** Requests that are passed on to nodes, pods and services. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import type { PassedBack } from '../../aggregator/aggregator.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ConnectCall } from '../../server/server.ts'

/** Where a request goes. */
export interface Destination {
  readonly isSecure: boolean
  readonly host: string
  readonly port: number
  /** Path and query. */
  readonly path: string
  /** What TLS is made with; without authorities, the other side is not checked. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  readonly connectMs: number
}

/** What concerns the connection to the client alone. */
const ofConnections: ReadonlySet<string> = new Set([
  ...['authorization', 'connection', 'expect', 'host', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])
const identity = /^(x-remote-(user$|group$|extra-)|impersonate-)/

/** Sends a request on and gives its answer. @throws StatusError if there is none. */
export function send(to: Destination, call: ConnectCall): Promise<PassedBack> {
  const { request, upgrades, signal } = call
  const options: RequestOptions = {
    ...{ host: to.host, port: to.port, path: to.path, method: request.method, signal },
    headers: headersFor(to, call),
    timeout: to.connectMs,
  }
  return new Promise((resolve, reject) => {
    const sent = to.isSecure
      ? httpsRequest({ ...options, ...to.tls, rejectUnauthorized: to.tls?.ca !== undefined })
      : httpRequest(options)
    const fail = (cause: unknown): void =>
      reject(
        new StatusError('InternalError', `error dialing backend: ${errorText(cause)}`, {
          details: { causes: [{ message: `error dialing backend: ${errorText(cause)}` }] },
        }),
      )
    sent.on('socket', (socket) => {
      const connected = (): void => void sent.setTimeout(0)
      socket.once(to.isSecure ? 'secureConnect' : 'connect', connected)
    })
    sent.on('timeout', () => sent.destroy(new Error('i/o timeout')))
    sent.on('error', fail)
    sent.on('response', (message) => resolve(answerOf(message)))
    sent.on('upgrade', (message, socket, head) => {
      socket.on('error', () => socket.destroy())
      resolve(answerOf(message, { socket, head }))
    })
    if (upgrades || request.method === 'GET' || request.method === 'HEAD') sent.end()
    else void sendBody(sent, call).catch((error: Error) => sent.destroy(error))
  })
}

function headersFor({ host, port }: Destination, { request, upgrades }: ConnectCall) {
  const { headers, peer } = request
  const listed = new Set(
    String(headers.connection ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  )
  const passed: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ofConnections.has(name) || identity.test(name)) continue
    if (!listed.has(name)) passed[name] = value
  }
  const hops = [passed['x-forwarded-for'], peer?.remoteAddress].flat()
  return {
    ...passed,
    host: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    'x-forwarded-for': hops.filter((hop) => hop !== undefined && hop !== '').join(', '),
    ...(upgrades && { connection: 'Upgrade', upgrade: String(headers.upgrade) }),
  }
}

async function sendBody(
  sent: ReturnType<typeof httpRequest>,
  { request }: ConnectCall,
): Promise<void> {
  for await (const chunk of request.body()) {
    if (sent.destroyed) return
    if (!sent.write(chunk)) {
      await new Promise<void>((resolve) => {
        sent.once('drain', resolve)
        sent.once('close', resolve)
      })
    }
  }
  sent.end()
}

/** What is said of a connection, and of this server, stays where it is. */
const notPassedBack: ReadonlySet<string> = new Set([
  ...['audit-id', 'connection', 'date', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
])

function answerOf(
  message: IncomingMessage,
  tunnel?: { readonly socket: Duplex; readonly head: Buffer },
): PassedBack {
  const headers: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(message.headers)) {
    const isUpgrade = tunnel !== undefined && (name === 'upgrade' || name === 'connection')
    if (value === undefined || (!isUpgrade && notPassedBack.has(name))) continue
    headers[name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())] = value
  }
  return { status: message.statusCode ?? 0, headers, message, ...(tunnel && { tunnel }) }
}
