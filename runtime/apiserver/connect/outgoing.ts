/** Requests that are passed on to nodes, pods and services. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { addressText, connectionError, type PassedBack } from '../../aggregator/aggregator.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ConnectCall } from '../../server/server.ts'
import { askedPath, movedLink, type Passage } from './passage.ts'

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
  /** For requests that go on whole: the path of this server at which the destination is. */
  readonly prefix?: string
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
  const passage = passageOf(to, call)
  const options: RequestOptions = {
    ...{ host: to.host, port: to.port, path: to.path, method: request.method, signal },
    headers: headersFor(to, call, passage),
    timeout: to.connectMs,
  }
  return new Promise((resolve, reject) => {
    const sent = to.isSecure
      ? httpsRequest({ ...options, ...to.tls, rejectUnauthorized: to.tls?.ca !== undefined })
      : httpRequest(options)
    const fail = (cause: unknown): void => reject(unreachable(cause, to, call))
    sent.on('socket', (socket) => {
      const connected = (): void => void sent.setTimeout(0)
      // A connection that was used before is there already.
      if (sent.reusedSocket) connected()
      else socket.once(to.isSecure ? 'secureConnect' : 'connect', connected)
    })
    sent.on('timeout', () => sent.destroy(new Error('i/o timeout')))
    sent.on('error', fail)
    sent.on('response', (message) => resolve(answerOf(message, passage)))
    sent.on('upgrade', (message, socket, head) => {
      socket.on('error', () => socket.destroy())
      resolve(answerOf(message, passage, { socket, head }))
    })
    if (upgrades || request.method === 'GET' || request.method === 'HEAD') sent.end()
    else void sendBody(sent, call).catch((error: Error) => sent.destroy(error))
  })
}

function passageOf({ host, port, prefix }: Destination, call: ConnectCall): Passage | undefined {
  if (prefix === undefined) return undefined
  const own = addressText(host, port)
  return { host: own, asked: String(call.request.headers.host ?? own), prefix }
}

/** Why there is no answer, in the words of the reference. */
function unreachable(cause: unknown, { host, port, prefix }: Destination, call: ConnectCall) {
  const why = connectionError(cause, { host: addressText(host, port), serverName: '' })
  if (prefix !== undefined && !call.upgrades) {
    return new StatusError('ServiceUnavailable', `error trying to reach service: ${why}`)
  }
  const message = `error dialing backend: ${why}`
  return new StatusError('InternalError', message, { details: { causes: [{ message }] } })
}

function headersFor(
  { host, port, path }: Destination,
  { request, upgrades }: ConnectCall,
  passage: Passage | undefined,
) {
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
    host: passage?.asked ?? addressText(host, port),
    ...(passage && !upgrades && { 'x-forwarded-uri': askedPath(passage, path) }),
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
  passage: Passage | undefined,
  tunnel?: { readonly socket: Duplex; readonly head: Buffer },
): PassedBack {
  const headers: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(message.headers)) {
    const isUpgrade = tunnel !== undefined && (name === 'upgrade' || name === 'connection')
    if (value === undefined || (!isUpgrade && notPassedBack.has(name))) continue
    headers[name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())] = value
  }
  const { location } = message.headers
  if (passage && location) headers.Location = movedLink(location, passage)
  return { status: message.statusCode ?? 0, headers, message, ...(tunnel && { tunnel }) }
}
