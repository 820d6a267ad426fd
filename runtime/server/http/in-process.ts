import type { IncomingMessage } from 'node:http'
import { inProcessUser } from '../../auth/auth.ts'
import type {
  BodyLimits,
  BodyStream,
  Frame,
  HttpRequest,
  HttpResponse,
  RawResponse,
  Sink,
} from './message.ts'

/** A request handed over in process. */
export interface ApiRequest {
  readonly method: string
  /** Path and query, beginning with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  readonly signal?: AbortSignal
}

/** The answer; its body must be read to its end or returned early. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

/** What a reader may leave unread before writers are asked to wait. */
const highWaterBytes = 256 * 1024

export function toHttpRequest(
  { method, path, headers, body }: ApiRequest,
  limits: BodyLimits,
): HttpRequest {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    method,
    url: path,
    headers: Object.fromEntries(lower),
    limits,
    user: inProcessUser,
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

export function toApiResponse(
  reply: RawResponse,
  method: string,
  signal?: AbortSignal,
): ApiResponse {
  const headers = new Map<string, string | readonly string[]>()
  for (let at = 0; at < reply.headers.length; at += 2) {
    headers.set(String(reply.headers[at]).toLowerCase(), reply.headers[at + 1] ?? '')
  }
  const body = bodyOf(reply.body, method, signal)
  return { status: reply.status, headers: Object.fromEntries(headers), body }
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
  else yield* body.segments()
}

/** Runs a stream and yields what it writes. Ends with the stream, with the signal, or when the reader leaves. */
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

  finish(): void {
    this.#finished = true
    this.#wake()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const run of this.#closers.splice(0)) run()
    this.#wake()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const run of waiting) run()
  }
}
