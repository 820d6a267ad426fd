import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { ConnectionConfig } from './orchconfig.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'

/** A transport over HTTP or HTTPS to `config.server`. Connections are kept for the next request. */
export function httpTransport(
  config: Pick<ConnectionConfig, 'server'> & Partial<ConnectionConfig>,
): Transport {
  const url = new URL(config.server)
  const dial = createDialer(url, config)
  const base = url.pathname.replace(/\/$/, '')
  const auth = authorization(config)

  return {
    host: url.host,
    send: (request) => send(dial.start, base, auth, request),
    async close() {
      dial.agent.destroy()
    },
  }
}

type StartRequest = (
  path: string,
  request: TransportRequest,
  headers: Headers,
) => ReturnType<typeof httpRequest>
type Headers = Readonly<Record<string, string>>

function createDialer(
  url: URL,
  config: Partial<ConnectionConfig>,
): { start: StartRequest; agent: HttpAgent } {
  const secure = url.protocol === 'https:'
  const kept = { keepAlive: true, keepAliveMsecs: 30_000, scheduling: 'lifo' } as const
  const agent = secure ? new HttpsAgent({ ...kept, ...tlsOptions(config) }) : new HttpAgent(kept)
  const open = secure ? httpsRequest : httpRequest
  return {
    agent,
    start: (path, { method, signal }, headers) =>
      open({
        agent,
        method,
        path,
        headers,
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port || (secure ? 443 : 80),
        ...(signal !== undefined && { signal }),
      }),
  }
}

function tlsOptions({ ca, cert, key, serverName, insecure }: Partial<ConnectionConfig>): object {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(insecure === true && { rejectUnauthorized: false }),
  }
}

function authorization({ token, username, password }: Partial<ConnectionConfig>): Headers {
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (username === undefined) return {}
  const pair = Buffer.from(`${username}:${password ?? ''}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

/**
 * Sends a request. A GET on a kept connection that the server closed at that moment is sent once more: the server did not
 * see it, and if it did, a GET changes nothing.
 */
function send(
  start: StartRequest,
  base: string,
  auth: Headers,
  request: TransportRequest,
  again = request.method === 'GET',
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body
    const length = body === undefined ? {} : { 'content-length': String(body.length) }
    const sent = start(base + request.path, request, { ...auth, ...request.headers, ...length })
    sent.on('response', (response) => resolve(toResponse(response)))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const stale = again && sent.reusedSocket && error.code === 'ECONNRESET'
      if (stale) resolve(send(start, base, auth, request, false))
      else reject(error)
    })
    sent.end(body)
  })
}

function toResponse(response: IncomingMessage): TransportResponse {
  return { status: response.statusCode ?? 0, headers: response.headers, body: response }
}
