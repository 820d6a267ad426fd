import type { IncomingMessage } from 'node:http'
import { inProcessUser, type UserInfo } from '../../auth/auth.ts'
import type { BodyLimits, HttpRequest } from './request.ts'
import type { BodyStream, Frame, HttpResponse, RawResponse, Sink } from './response.ts'

/** A request of the same process. It is neither parsed from nor written to a socket. */
export interface ApiRequest {
  readonly method: string
  /** Path and query, beginning with a slash. */
  readonly path: string
  /** By name in any case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Ends a watch, as a client does that closes its connection. */
  readonly signal?: AbortSignal
  /** Whose request it is. Default: the server's own user. */
  readonly user?: UserInfo
}

/** The response. Its body has to be read to its end or returned early: a watch goes on until then. */
export interface ApiResponse {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

/** Bytes that a reader may leave unread before the writer of a stream has to wait. */
const highWaterBytes = 256 * 1024

/** A request as the filters see one. */
export function toHttpRequest(
  { method, path, headers, body, user = inProcessUser }: ApiRequest,
  limits: BodyLimits,
): HttpRequest {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    method,
    url: path,
    headers: Object.fromEntries(lower),
    limits,
    user,
    async *body() {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      if (bytes !== undefined && bytes.length > 0) yield bytes
    },
  }
}

/** A request of the same process as far as a context of Koa reads one: there is no connection behind it. */
export function inProcessMessage({ method, url, headers }: HttpRequest): IncomingMessage {
  const message = { method, url, headers, httpVersionMajor: 1, httpVersionMinor: 1, socket: {} }
  return message as unknown as IncomingMessage
}

/** A response as the caller sees it. The body of HEAD is empty, as it is on the wire. */
export function toApiResponse(
  { status, headers: list, body }: RawResponse,
  method: string,
  signal?: AbortSignal,
): ApiResponse {
  const headers = new Map<string, string | readonly string[]>()
  for (let at = 0; at < list.length; at += 2) {
    headers.set(String(list[at]).toLowerCase(), list[at + 1] ?? '')
  }
  return { status, headers: Object.fromEntries(headers), body: bodyOf(body, method, signal) }
}

async function* emptyBody(): AsyncIterable<Uint8Array> {}

function bodyOf(
  body: HttpResponse['body'],
  method: string,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  if (typeof body === 'function') return method === 'HEAD' ? emptyBody() : streamBody(body, signal)
  return method === 'HEAD' ? emptyBody() : wholeBody(body)
}

async function* wholeBody(
  body: Exclude<HttpResponse['body'], BodyStream>,
): AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) yield body
  else if (body.length === undefined) yield* body.pieces()
  else yield* body.segments()
}

/** Runs a stream and yields what it writes. Ends with the stream, with the signal, or when the reader leaves; fails as it does. */
async function* streamBody(
  stream: BodyStream,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  const pipe = new Pipe()
  const leave = (): void => pipe.close()
  signal?.addEventListener('abort', leave, { once: true })
  if (signal?.aborted) leave()
  const done = stream(pipe).finally(() => pipe.finish())
  try {
    yield* pipe.read()
    await done
  } finally {
    signal?.removeEventListener('abort', leave)
    pipe.close()
    await done
  }
}

/** Carries a stream to a reader of the same process. What is not read waits in it, up to `highWaterBytes` and one frame. */
class Pipe implements Sink {
  readonly #queue: Uint8Array[] = []
  readonly #closers: (() => void)[] = []
  #waiting: (() => void)[] = []
  #bytes = 0
  #finished = false
  #closed = false

  write({ payload }: Frame): boolean {
    if (this.#closed) return true
    this.#queue.push(payload)
    this.#bytes += payload.length
    this.#wake()
    return this.#bytes < highWaterBytes
  }

  /** There are no packets here. */
  cork(writes: () => void): void {
    writes()
  }

  async drained(): Promise<void> {
    while (this.#bytes >= highWaterBytes && !this.#closed) await this.#change()
  }

  onClose(run: () => void): void {
    if (this.#closed) run()
    else this.#closers.push(run)
  }

  /** Yields each frame once it is written, until the stream finished or the pipe is closed. */
  async *read(): AsyncIterable<Uint8Array> {
    while (!this.#closed) {
      const next = this.#queue.shift()
      if (next !== undefined) {
        this.#bytes -= next.length
        this.#wake()
        yield next
      } else if (this.#finished) return
      else await this.#change()
    }
  }

  /** Tells the reader that no more comes; what is queued is still read. */
  finish(): void {
    this.#finished = true
    this.#wake()
  }

  /** Tells the stream that its reader is gone; what is queued is dropped. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const run of this.#closers.splice(0)) run()
    this.#wake()
  }

  /** Resolves at the next write, read, end or closing. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const run of waiting) run()
  }
}
