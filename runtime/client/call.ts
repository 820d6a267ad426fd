import { encode, parse } from '../codec/codec.ts'
import { StatusError as Status, type StatusError } from '../kernel/status.ts'
import { type Clock, keepAlive, pause } from '../kernel/time.ts'
import { fromResponse, unreachable } from './errors.ts'
import { lines, readAll } from './lines.ts'
import type { ClientMeters } from './meters.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'

/** One request before it is text. */
export interface Call {
  readonly method: TransportRequest['method']
  readonly path: string
  readonly body?: unknown
  /** The media type of the body. Default JSON. */
  readonly type?: string
  readonly signal?: AbortSignal | undefined
}

/** Sends requests, repeats those the server put off, and turns every failure into a StatusError. */
export interface Caller {
  /** The parsed body of the answer. */
  call(request: Call): Promise<unknown>
  /** The lines of an endless answer, parsed one by one, until `signal` aborts or the server is done. */
  stream(request: Call & { readonly signal: AbortSignal }): AsyncIterable<unknown>
}

export interface CallerOptions {
  readonly transport: Transport
  readonly manager: string
  readonly retries: number
  readonly clock: Clock
  readonly meters?: ClientMeters
}

const errorLimit = 1024 * 1024
const lineLimit = 16 * 1024 * 1024
const bodyLimit = 256 * 1024 * 1024

export function createCaller(options: CallerOptions): Caller {
  return {
    async call(request) {
      try {
        const response = await accepted(options, request)
        const body = await readAll(response.body, bodyLimit)
        options.meters?.received(request.method, body.length)
        return parse(body)
      } catch (error) {
        throw failure(error, request)
      }
    },
    async *stream(request) {
      try {
        const response = await accepted(options, request)
        for await (const line of lines(response.body, lineLimit)) yield parse(line)
      } catch (error) {
        if (!request.signal.aborted) throw failure(error, request)
      }
    },
  }
}

/** The same caller, whose requests also end with `signal`. */
export function limited(caller: Caller, signal: AbortSignal | undefined): Caller {
  if (signal === undefined) return caller
  const both = (own: AbortSignal | undefined): AbortSignal =>
    own === undefined || own === signal ? signal : AbortSignal.any([own, signal])
  return {
    call: (request) => caller.call({ ...request, signal: both(request.signal) }),
    stream: (request) => caller.stream({ ...request, signal: both(request.signal) }),
  }
}

/** The first answer that is not a refusal; a refusal with a Retry-After is waited out, a bounded number of times. */
async function accepted(options: CallerOptions, request: Call): Promise<TransportResponse> {
  const message = messageOf(request, options.manager)
  for (let left = options.retries; ; left--) {
    request.signal?.throwIfAborted()
    const response = await sent(options, message)
    if (response.status < 400) return response
    const error = fromResponse(response, await readAll(response.body, errorLimit))
    const seconds = putOff(error)
    if (seconds === undefined || left === 0) throw error
    options.meters?.repeated(request.method, error.code)
    const release = keepAlive()
    await pause(options.clock, seconds * 1000, request.signal)
    release()
  }
}

/** Sends one message, and counts it and what came of it. */
async function sent(
  { transport, clock, meters }: CallerOptions,
  message: TransportRequest,
): Promise<TransportResponse> {
  if (meters === undefined) return transport.send(message)
  const { method, body } = message
  if (body !== undefined) meters.sent(method, Buffer.byteLength(body))
  const began = clock.now()
  let code: number | undefined
  try {
    const response = await transport.send(message)
    code = response.status
    return response
  } finally {
    meters.answered(method, code, clock.now() - began)
  }
}

function messageOf({ method, path, body, type, signal }: Call, manager: string): TransportRequest {
  const headers = { accept: 'application/json', 'user-agent': manager }
  return {
    method,
    path,
    headers:
      body === undefined ? headers : { ...headers, 'content-type': type ?? 'application/json' },
    ...(body !== undefined && { body: encode(body) }),
    ...(signal !== undefined && { signal }),
  }
}

function putOff({ code, details }: StatusError): number | undefined {
  return code === 429 || code >= 500 ? details?.retryAfterSeconds : undefined
}

function failure(error: unknown, { method, path, signal }: Call): StatusError {
  const what = `${method} ${path.replace(/\?.*$/, '')}`
  if (signal?.aborted) return new Status('Timeout', `${what}: aborted`, { cause: signal.reason })
  return unreachable(error, what)
}
