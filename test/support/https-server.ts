import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Authority, createAuthority, type ServerCertificate } from './authority.ts'

/** A request as it arrived. */
export interface ReceivedRequest {
  /** With the query. */
  readonly path: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Answers the JSON body of a request: with a value that becomes the JSON body of a 200, or with nothing once it has written
 * to the response itself (or means never to).
 */
export type RequestHandler = (body: never, arrived: ReceivedRequest) => unknown

/** A real HTTPS server of this process. */
export interface HttpsServer {
  /** `https://127.0.0.1:<port>`. */
  readonly url: string
  readonly port: number
  /** PEM in base64, as webhook configurations hold it. */
  readonly caBundle: string
  /** The bodies of all requests so far, in order. */
  readonly bodies: readonly unknown[]
  /** How many connections are open. */
  readonly connections: number
  /** Answers otherwise from now on. */
  answer(next: RequestHandler): void
  stop(): Promise<void>
}

export interface HttpsServerOptions {
  readonly authority?: Authority
  /** Shown instead of one for `localhost` and 127.0.0.1 that is good. */
  readonly certificate?: ServerCertificate
  /** The address to listen on instead of 127.0.0.1. */
  readonly host?: string
}

/** Starts a server on a port that the system chooses. */
export async function startHttpsServer(
  first: RequestHandler,
  { authority = createAuthority(), certificate, host = '127.0.0.1' }: HttpsServerOptions = {},
): Promise<HttpsServer> {
  let answer = first
  let connections = 0
  const bodies: unknown[] = []
  const server = createServer(certificate ?? authority.issue(['localhost']), (request, response) =>
    respond(request, response, (body) => {
      bodies.push(body)
      return answer(body as never, { path: request.url ?? '', request, response })
    }),
  )
  server.on('connection', (socket) => {
    connections++
    socket.on('error', () => {}).on('close', () => connections--)
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: Buffer.from(authority.root).toString('base64'),
    bodies,
    get connections() {
      return connections
    },
    answer(next) {
      answer = next
    },
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (body: unknown) => unknown,
): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const said = await answer(JSON.parse(Buffer.concat(parts).toString() || 'null'))
  if (said === undefined) return
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
}
