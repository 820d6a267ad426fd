/** Connections to one other server. */
import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import type { Duplex } from 'node:stream'
import type { ServiceEndpoint } from '../webhook/webhook.ts'
import { addressText, connectionError } from './connection-errors.ts'
import type { RemoteVersion } from './remote-version.ts'

/** The certificate by which other servers know this one, with its key, in PEM. */
export interface ProxyCertificate {
  readonly cert: string
  readonly key: string
}

/** A request to another server. */
export interface RemoteRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The whole body, or the body as it arrives. Default: none. */
  readonly body?: Uint8Array | (() => AsyncIterable<Uint8Array>)
  /** Ends the request, and the answer if there is one already. */
  readonly signal: AbortSignal
}

/** An answer whose body is still to be read, or the connection that goes on as another protocol. */
export type RemoteAnswer =
  | { readonly message: IncomingMessage }
  | { readonly message: IncomingMessage; readonly tunnel: Duplex; readonly head: Buffer }

/** Why a server did not answer, in words for clients. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/** Keeps connections to one server open between requests. */
export class RemoteConnection {
  readonly #agent: Agent
  readonly #serverName: string

  /** `isTrusting` connections take any certificate of the server. */
  constructor(
    { service, authorities, insecure }: RemoteVersion,
    certificate: ProxyCertificate | undefined,
    isTrusting = insecure,
  ) {
    this.#serverName = `${service.name}.${service.namespace}.svc`
    this.#agent = new Agent({
      keepAlive: true,
      rejectUnauthorized: !isTrusting,
      ...(authorities !== '' && !isTrusting && { ca: authorities }),
      ...certificate,
    })
  }

  /** @throws UnreachableError; the message has no address of the request. */
  async ask(endpoint: ServiceEndpoint, asked: RemoteRequest): Promise<RemoteAnswer> {
    for (;;) {
      const answer = await this.#askOnce(endpoint, asked)
      if (answer !== 'stale') return answer
    }
  }

  /** A connection that was kept and is closed by now is no failure of a request without a body: it goes over another one. */
  #askOnce(
    { host, port }: ServiceEndpoint,
    { method, path, headers, body, signal }: RemoteRequest,
  ): Promise<RemoteAnswer | 'stale'> {
    return new Promise((resolve, reject) => {
      const place = { host: addressText(host, port), serverName: this.#serverName }
      const fail = (cause: unknown): void =>
        reject(new UnreachableError(connectionError(cause, place), { cause }))
      const options = {
        ...{ method, path, host, port, signal },
        headers: headers as RequestOptions['headers'] & object,
        servername: this.#serverName,
        agent: this.#agent,
      }
      try {
        const sent = request(options, (message) => resolve({ message }))
        sent.on('upgrade', (message, tunnel, head) => resolve({ message, tunnel, head }))
        sent.on('error', (error: NodeJS.ErrnoException) => {
          const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
          if (isClosed && sent.reusedSocket && body === undefined) resolve('stale')
          else fail(error)
        })
        if (typeof body === 'function')
          void sendBody(sent, body).catch((error) => sent.destroy(error))
        else sent.end(body)
      } catch (error) {
        fail(error)
      }
    })
  }

  /** Closes connections that are not in use; others end with their requests. */
  retire(): void {
    this.#agent.maxFreeSockets = 0
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy()
    }
  }

  /** Ends every connection. */
  close(): void {
    this.#agent.destroy()
  }
}

/** Sends a body as fast as the server takes it. */
async function sendBody(
  sent: ReturnType<typeof request>,
  body: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const chunk of body()) {
    if (sent.destroyed || sent.writableEnded) return
    if (sent.write(chunk)) continue
    await new Promise<void>((resolve) => {
      const go = (): void => {
        sent.off('drain', go)
        sent.off('close', go)
        resolve()
      }
      sent.on('drain', go)
      sent.on('close', go)
    })
  }
  sent.end()
}
