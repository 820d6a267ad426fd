import { type Clock, keepAlive, pause } from '../kernel/async/clock.ts'
import { StatusError as Status, type StatusError } from '../kernel/errors/status-error.ts'
import { type TracePropagation, traceHeaders } from '../observe/observe.ts'
import { encodeJson, parseTrustedJson } from '../serializer/serializer.ts'
import type { ClientMetrics } from './client-metrics.ts'
import { type RequestSubject, withAdvice } from './error-advice.ts'
import type { Transport, TransportRequest, TransportResponse } from './http/transport.ts'
import { readAll, readLines } from './response-body.ts'
import { connectionError, errorFromResponse } from './status-errors.ts'

/** One request before it is encoded. */
export interface RestRequest {
  readonly method: TransportRequest['method']
  readonly path: string
  readonly body?: unknown
  /** The media type of the body. Default JSON. */
  readonly type?: string
  /** The media types that the answer may have. Default JSON. */
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
  /** Throws where it may not be sent, unless it is a GET. */
  readonly beforeWrite?: (() => void) | undefined
  /** Hears how many bytes the body of the response has. */
  readonly received?: (bytes: number) => void
  /** What it asks for, for the words of errors. */
  readonly subject?: RequestSubject
}

/** Sends requests, repeats those the server refuses for now, and turns every failure into a StatusError. */
export interface RestClient {
  /** Resolves to the parsed body of the response. */
  send(request: RestRequest): Promise<unknown>
  /** The lines of a stream, parsed one by one, until `signal` aborts or the server ends it. */
  stream(request: RestRequest & { readonly signal: AbortSignal }): AsyncIterable<unknown>
}

/** What a REST client is made of. */
export interface RestClientOptions {
  readonly transport: Transport
  readonly userAgent: string
  /** How often a request is sent again that the server refuses for now. */
  readonly retries: number
  readonly clock: Clock
  /** Milliseconds to wait before the next request. Absent: none ever waits. */
  readonly waitMs?: () => number
  readonly metrics?: ClientMetrics
  /** Puts the trace of who sends it into the headers of a request. */
  readonly propagation?: TracePropagation
}

/** Most bytes that are read of the body of an error, of one event of a watch, of any other body. */
const errorLimit = 1024 * 1024
const lineLimit = 16 * 1024 * 1024
const bodyLimit = 256 * 1024 * 1024

/** A REST client over a transport. */
export function createRestClient(options: RestClientOptions): RestClient {
  return {
    async send(request) {
      try {
        const response = await sendWithRetries(options, request)
        const body = await readAll(response.body, bodyLimit)
        options.metrics?.received(request.method, body.length)
        request.received?.(body.length)
        return parseTrustedJson(body)
      } catch (error) {
        throw toStatusError(error, request)
      }
    },
    async *stream(request) {
      try {
        const response = await sendWithRetries(options, request)
        for await (const line of readLines(response.body, lineLimit)) yield parseTrustedJson(line)
      } catch (error) {
        if (!request.signal.aborted) throw toStatusError(error, request)
      }
    },
  }
}

/** What all requests of a client have in common. */
export interface RequestScope {
  readonly signal?: AbortSignal
  readonly beforeWrite?: () => void
}

/** The same client, whose requests also end with the scope's signal, and whose writes are also asked about. */
export function withScope(client: RestClient, scope: RequestScope): RestClient {
  const { signal, beforeWrite } = scope
  const guarded =
    beforeWrite === undefined ? client : { ...client, send: askedFirst(client, beforeWrite) }
  if (signal === undefined) return guarded
  const both = (own: AbortSignal | undefined): AbortSignal =>
    own === undefined || own === signal ? signal : AbortSignal.any([own, signal])
  return {
    send: (request) => guarded.send({ ...request, signal: both(request.signal) }),
    stream: (request) => client.stream({ ...request, signal: both(request.signal) }),
  }
}

/** Sends requests that `beforeWrite` is asked about beside the question that they come with. */
function askedFirst({ send }: RestClient, beforeWrite: () => void): RestClient['send'] {
  return (request) => {
    const { beforeWrite: inner } = request
    const ask = (): void => {
      inner?.()
      beforeWrite()
    }
    return send({ ...request, beforeWrite: inner === undefined ? beforeWrite : ask })
  }
}

/** Resolves to the first response that is no error. After a refusal with Retry-After it tries again, up to `retries` times. */
async function sendWithRetries(
  options: RestClientOptions,
  request: RestRequest,
): Promise<TransportResponse> {
  const message = toTransportRequest(request, options)
  for (let left = options.retries; ; left--) {
    await waitForTurn(options, request)
    request.signal?.throwIfAborted()
    message.beforeWrite?.()
    const response = await sendOnce(options, message)
    if (response.status < 400) return response
    const body = await readAll(response.body, errorLimit)
    const error = errorFromResponse(response, body, options.clock.now())
    const seconds = repeatAfter(request, error)
    if (seconds === undefined || left === 0) throw withAdvice(error, request, options.transport)
    options.metrics?.repeated(request.method, error.code)
    await waitFor(options.clock, seconds * 1000, request.signal)
  }
}

/** Waits until the client's own limit lets a request begin. */
async function waitForTurn(
  { clock, waitMs, metrics }: RestClientOptions,
  { method, signal }: RestRequest,
): Promise<void> {
  if (waitMs === undefined) return
  const ms = Math.max(0, waitMs())
  await waitFor(clock, ms, signal)
  metrics?.waited(method, ms)
}

/** Waits without letting the process end meanwhile. */
async function waitFor(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return
  const release = keepAlive()
  await pause(clock, ms, signal)
  release()
}

/** Sends one request, and counts it and its response. */
async function sendOnce(
  { transport, clock, metrics }: RestClientOptions,
  message: TransportRequest,
): Promise<TransportResponse> {
  if (metrics === undefined) return transport.send(message)
  const { method, body } = message
  if (body !== undefined) metrics.sent(method, Buffer.byteLength(body))
  const began = clock.now()
  let code: number | undefined
  try {
    const response = await transport.send(message)
    code = response.status
    return response
  } finally {
    metrics.answered(method, code, clock.now() - began)
  }
}

function toTransportRequest(
  request: RestRequest,
  { userAgent, propagation }: RestClientOptions,
): TransportRequest {
  const { method, path, body, type, accept = 'application/json', signal, beforeWrite } = request
  const trace = propagation && traceHeaders(propagation)
  const headers = { accept, 'user-agent': userAgent, ...trace }
  return {
    method,
    path,
    headers:
      body === undefined ? headers : { ...headers, 'content-type': type ?? 'application/json' },
    ...(body !== undefined && { body: encodeJson(body) }),
    ...(signal !== undefined && { signal }),
    ...(beforeWrite !== undefined && method !== 'GET' && { beforeWrite }),
  }
}

/** The longest that a request waits for a server that puts it off: a longer wait is for the caller to decide about. */
const longestWaitSeconds = 300

/**
 * Seconds after which a request is sent again, where the server says so. 429 and 503 say that nothing was done; after another
 * error a write may have been, and only a read is repeated.
 */
function repeatAfter({ method }: RestRequest, { code, details }: StatusError): number | undefined {
  const seconds = details?.retryAfterSeconds
  const refused = code === 429 || code === 503
  const harmless = refused || (method === 'GET' && code >= 500)
  return harmless && seconds !== undefined && seconds <= longestWaitSeconds ? seconds : undefined
}

function toStatusError(error: unknown, { method, path, signal }: RestRequest): StatusError {
  const what = `${method} ${path.replace(/\?.*$/, '')}`
  if (signal?.aborted) return new Status('Timeout', `${what}: aborted`, { cause: signal.reason })
  return connectionError(error, what)
}
