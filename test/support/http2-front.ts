import { request as httpRequest } from 'node:http'
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { createAuthority } from './authority.ts'

/** A request as it came to the front. */
export interface FrontRequest {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  /** Passes it on, to the server behind. */
  pass(): void
}

/** A server of HTTP/2 over TLS that passes requests on, and misbehaves as it is told. */
export interface Http2Front {
  readonly url: string
  readonly port: number
  readonly ca: string
  /** `1.1 GET /path` of each request so far. */
  readonly seen: readonly string[]
  /** Sessions that are open now, the oldest first. */
  readonly sessions: readonly ServerHttp2Session[]
  /** Connections so far, and their sockets below TLS. */
  readonly sockets: readonly Socket[]
  /** Codes of the streams that were reset by the client. */
  readonly resets: readonly number[]
  /** Answers requests otherwise from now on. */
  answer(next: (arrived: FrontRequest) => void): void
  /** Chooses these protocols for new connections. */
  offer(protocols: readonly string[]): void
  stop(): Promise<void>
}

/** Starts a front of the HTTP server at `behind`, which takes `maxStreams` requests at once per connection. */
export async function startHttp2Front(behind: string, maxStreams = 100): Promise<Http2Front> {
  const authority = createAuthority()
  let offered: readonly string[] = ['h2', 'http/1.1']
  let answer = ({ pass }: FrontRequest): void => pass()
  const [seen, resets]: [string[], number[]] = [[], []]
  const sessions = new Set<ServerHttp2Session>()
  const sockets: Socket[] = []
  const server = createSecureServer(
    {
      ...authority.issue(['localhost']),
      allowHTTP1: true,
      ALPNCallback: ({ protocols }) => offered.find((one) => protocols.includes(one)),
      settings: { maxConcurrentStreams: maxStreams },
    },
    (request, response) => {
      seen.push(`${request.httpVersion} ${request.method} ${request.url}`)
      request.on('error', () => {})
      response.on('error', () => {})
      request.stream?.on('close', () => {
        const { rstCode = 0 } = request.stream
        if (rstCode !== 0) resets.push(rstCode)
      })
      answer({ request, response, pass: () => passOn(behind, request, response) })
    },
  )
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {}).on('close', () => sessions.delete(session))
  })
  server.on('connection', (socket: Socket) => {
    sockets.push(socket.on('error', () => {}))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `https://127.0.0.1:${port}`, port, ca: authority.root, seen, sockets, resets },
    get sessions() {
      return [...sessions]
    },
    answer(next) {
      answer = next
    },
    offer(protocols) {
      offered = protocols
    },
    stop() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function passOn(behind: string, request: Http2ServerRequest, response: Http2ServerResponse): void {
  const named = Object.entries(request.headers).filter(([name]) => !name.startsWith(':'))
  const headers = Object.fromEntries(named.filter(([name]) => name !== 'host'))
  const onward = httpRequest(behind + request.url, { method: request.method, headers })
  onward.on('response', (answered) => {
    const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = answered.headers
    response.writeHead(answered.statusCode ?? 500, rest)
    answered.pipe(response)
    answered.on('error', () => response.stream?.destroy())
  })
  onward.on('error', () => response.stream?.destroy())
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}
