/** A program behind a service: an HTTPS server of this process that answers however a test says. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { CertificatePair } from '../../runtime/certificates/certificates.ts'

/** Answers one request, or never does. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** What arrived. */
export interface Arrived {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  /** The common name of the certificate that was shown. */
  readonly shown: string | undefined
}

export interface RemoteBackend {
  readonly port: number
  readonly arrived: Arrived[]
  /** Answers otherwise from now on; discovery is answered as before unless `all` says not so. */
  answer(next: Answer, all?: boolean): void
  /** What becomes of connections that ask for another protocol. */
  upgrade(next: (request: IncomingMessage, socket: Duplex) => void): void
  stop(): Promise<void>
}

export const backendGroup = 'lights.example.com'

/** The resources of the group version, in the old form. */
export const resourceList = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${backendGroup}/v1`,
  resources: [
    {
      ...{ name: 'lamps', singularName: 'lamp', namespaced: true, kind: 'Lamp' },
      ...{ verbs: ['create', 'get', 'list', 'watch'], shortNames: ['lp'] },
    },
    { name: 'lamps/status', singularName: '', namespaced: true, kind: 'Lamp', verbs: ['get'] },
  ],
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Starts one; `port` is that of one before it, which it follows. */
export async function startBackend(certificate: CertificatePair, port = 0): Promise<RemoteBackend> {
  const arrived: Arrived[] = []
  let answer: Answer = (_, response) => json(response, { kind: 'Lamp', metadata: { name: 'one' } })
  let answersAll = false
  let upgrade = (_request: IncomingMessage, socket: Duplex): void => void socket.destroy()
  const options = { ...certificate, requestCert: true, rejectUnauthorized: false }
  const server: Server = createServer(options, (request, response) => {
    note(arrived, request)
    const [path = ''] = (request.url ?? '').split('?')
    if (answersAll) return answer(request, response)
    if (path === `/apis/${backendGroup}/v1`) return json(response, resourceList)
    if (path.startsWith(`/apis/${backendGroup}/`)) return answer(request, response)
    json(response, { kind: 'Status', code: 404 }, 404)
  })
  server.on('upgrade', (request, socket) => {
    note(arrived, request)
    socket.on('error', () => {})
    upgrade(request, socket)
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(port, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    arrived,
    answer(next, all = false) {
      answer = next
      answersAll = all
    },
    upgrade(next) {
      upgrade = next
    },
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function note(arrived: Arrived[], request: IncomingMessage): void {
  const { method = '', url = '', headers, rawHeaders, socket } = request
  const certificate = (socket as TLSSocket).getPeerX509Certificate?.()
  const [, shown] = /CN=(.*)/.exec(certificate?.subject ?? '') ?? []
  arrived.push({ method, url, headers, rawHeaders, shown })
}
