import { constants } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { TlsSource } from './tls-source.ts'

/** A server of node:https, and its connections that node:http knows nothing of. */
export interface SecureServer {
  readonly server: HttpServer
  /** Connections that have sent nothing yet. */
  readonly silent: ReadonlySet<Socket>
  /** All connections, those in the midst of a handshake among them. */
  readonly sockets: ReadonlySet<Socket>
}

/**
 * A server whose certificates may change while it runs. Sessions are not resumed: with one, the certificates behind that of a
 * client would not come again. Nor are they negotiated anew, so that a connection has one user.
 */
export function createSecureServer(source: TlsSource, options: ServerOptions): SecureServer {
  const fixed = { secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION }
  const timeoutMs = options.headersTimeout ?? 0
  const server = createServer({
    ...options,
    ...source.fallback,
    ...fixed,
    ALPNProtocols: ['http/1.1'],
    requestCert: source.asksForCertificates,
    rejectUnauthorized: false,
    handshakeTimeout: timeoutMs,
    SNICallback: (name, done) => done(null, source.contextFor(name)),
  })
  source.onChange((fallback) => server.setSecureContext({ ...fallback, ...fixed }))
  return { server, ...answerPlainRequests(server, timeoutMs) }
}

/** How a request begins whose client does not speak TLS. */
const plainRequest = /^[A-Z]{3,7} /

const plainAnswer =
  'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n'

/**
 * Tells a client that speaks HTTP without TLS what is wrong: its first bytes are looked at before the handshake, which would end the
 * connection without a word.
 */
function answerPlainRequests(server: HttpServer, timeoutMs: number): Omit<SecureServer, 'server'> {
  const [silent, sockets] = [new Set<Socket>(), new Set<Socket>()]
  const [handshake] = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const fail = () => socket.destroy()
    const begin = () => {
      silent.delete(socket)
      const first: Buffer | null = socket.read()
      if (first === null) return fail()
      socket.setTimeout(0)
      socket.off('timeout', fail).off('error', fail)
      if (plainRequest.test(first.toString('latin1', 0, 8))) return refuse(socket)
      socket.unshift(first)
      handshake?.call(server, socket)
    }
    for (const set of [silent, sockets]) {
      set.add(socket)
      socket.once('close', () => set.delete(socket))
    }
    socket.setTimeout(timeoutMs, fail)
    socket.once('error', fail).once('readable', begin)
  })
  return { silent, sockets }
}

/** Milliseconds for a client to read the answer: it is still sending. */
const refusalMs = 1000

function refuse(socket: Socket): void {
  const fail = () => socket.destroy()
  socket.on('error', fail)
  socket.setTimeout(refusalMs, fail)
  socket.resume()
  socket.end(plainAnswer)
}
