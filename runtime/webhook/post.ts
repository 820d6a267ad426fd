import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import type { Clock } from '../kernel/async/clock.ts'
import type { WebhookDestination } from './destination.ts'
import { describeError } from './tls-errors.ts'

/** The status code and body of a response. */
export interface WebhookResponse {
  readonly code: number
  /** What the response says that its body is; JSON where it says nothing. */
  readonly mediaType: string
  readonly bytes: Buffer
}

/** The bounds of a request. */
export interface PostOptions {
  /** Timeout of the whole exchange in milliseconds. */
  readonly timeoutMs: number
  readonly clock: Clock
  /** Ends the request when it aborts. */
  readonly signal: AbortSignal
  /** The header `User-Agent`. */
  readonly userAgent: string
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>
}

/** Longest response, in bytes. */
const maxResponseBytes = 3 * 1024 * 1024

/** An agent that trusts these authorities (PEM), or those of the system if there are none. */
export function agentFor(authorities: string): Agent {
  return new Agent({ keepAlive: true, maxSockets: 64, ...(authorities && { ca: authorities }) })
}

/**
 * Posts a JSON body.
 *
 * The timeout is for connecting, sending and reading together. Any status code is a response here.
 * An abort by `signal` reads like a timeout; the caller knows better.
 *
 * @throws Error whose message names the URL and the reason, in the words that clients know
 */
export async function post(
  destination: WebhookDestination,
  body: Uint8Array,
  { timeoutMs, clock, signal, userAgent, headers }: PostOptions,
): Promise<WebhookResponse> {
  const ended = new AbortController()
  const abort = () => ended.abort()
  const cancelTimeout = clock.after(timeoutMs, abort)
  signal.addEventListener('abort', abort)
  const reason = (error: unknown) =>
    ended.signal.aborted ? 'context deadline exceeded' : describeError(error, destination)
  try {
    const options = requestOptions(destination, body, ended.signal, {
      ...headers,
      'user-agent': userAgent,
    })
    const response = await send(options, body).catch((cause: unknown) => {
      throw new Error(`Post "${destination.printedUrl}": ${reason(cause)}`, { cause })
    })
    const bytes = await readBody(response).catch((cause: unknown) => {
      const text = reason(cause)
      throw new Error(`${bodyReadError} ${text === 'EOF' ? 'unexpected EOF' : text}`, { cause })
    })
    const { 'content-type': mediaType = 'application/json' } = response.headers
    return { code: response.statusCode ?? 0, mediaType, bytes }
  } finally {
    cancelTimeout()
    signal.removeEventListener('abort', abort)
  }
}

const bodyReadError = 'unexpected error when reading response body. Please retry. Original error:'

function requestOptions(
  { url, host, port, serverName, agent }: WebhookDestination,
  body: Uint8Array,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): RequestOptions {
  return {
    method: 'POST',
    host: host ?? url.hostname.replace(/^\[|\]$/g, ''),
    port: port ?? (url.port || 443),
    path: `${url.pathname}${url.search}`,
    servername: serverName,
    agent,
    signal,
    headers: {
      ...headers,
      host: url.host,
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'content-length': body.byteLength,
    },
  }
}

/** A kept-alive connection that the webhook has closed meanwhile is no failure: the request goes over another one. */
async function send(options: RequestOptions, body: Uint8Array): Promise<IncomingMessage> {
  for (;;) {
    const response = await sendOnce(options, body)
    if (response !== staleConnection) return response
  }
}

const staleConnection = Symbol('a kept-alive connection that was closed')

/** Sends the request once; `staleConnection` if a reused connection broke before the response. */
function sendOnce(
  options: RequestOptions,
  body: Uint8Array,
): Promise<IncomingMessage | typeof staleConnection> {
  return new Promise((resolve, reject) => {
    const sent = request(options, resolve)
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      if (sent.reusedSocket && isClosed) resolve(staleConnection)
      else reject(error)
    })
    sent.end(body)
  })
}

/** Reads a body of at most `maxResponseBytes`, and ends the connection if it is longer. */
async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxResponseBytes) {
      response.destroy()
      throw new Error(`the answer is larger than ${maxResponseBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
