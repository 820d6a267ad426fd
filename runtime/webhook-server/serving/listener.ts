import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../kernel/async/clock.ts'
import { deadline } from '../../kernel/async/deadline.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import {
  inSpan,
  type Log,
  type LogFields,
  logWith,
  type Metrics,
  type Span,
  type TracePropagation,
  type Tracer,
  withinTrace,
} from '../../observe/observe.ts'
import { type DecodeLimits, decodeJson, encodeJson } from '../../serializer/serializer.ts'
import { BodyBudget } from './body-budget.ts'
import { createReviewMetrics, type ReviewMetrics } from './review-metrics.ts'
import { answerTimeMs } from './review-time.ts'

/** What a review is answered with. */
export interface ReviewCall {
  /** Aborts when the server that asks waits no longer. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly span: Span | undefined
  /** What the log says of this review if it fails. */
  note(facts: LogFields): void
}

/** Answers a review. What it throws is a call that failed: the failure policy of the webhook decides about the request. */
export type ReviewHandler = (review: unknown, call: ReviewCall) => Promise<object>

/** A body that is no review for the path that it was sent to. */
export class BadReview extends StatusError {
  constructor(message: string) {
    super('BadRequest', message)
  }
}

/** What a TLS server shows. */
export interface ShownCertificate {
  readonly cert: string
  readonly key: string
}

/** Where a listener listens. Port 0 picks a free one; without a host it is every address. */
export interface ListenAddress {
  readonly host?: string
  readonly port: number
}

/** What a listener answers, and with what. */
export interface ListenerOptions {
  readonly handlers: ReadonlyMap<string, ReviewHandler>
  readonly certificate: ShownCertificate
  readonly listen: ListenAddress
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
  readonly tracer?: Tracer
  readonly propagation?: TracePropagation
}

/** A server of reviews over TLS. */
export interface Listener {
  readonly port: number
  /** Connections from now on are shown this certificate. */
  show(certificate: ShownCertificate): void
  /** Closes it; what it is answering is finished first. */
  close(): Promise<void>
}

/** Bytes of one review, and of all that are read or answered at a time. */
const bodyLimits = { one: 128 * 1024 * 1024, all: 192 * 1024 * 1024 }

/** What a review may hold: it may carry a whole list of objects. */
const reviewLimits: DecodeLimits = { depth: 1000, values: 1e7, keys: 1e6, items: 1e6 }

/** Milliseconds in which a request has to be there whole. */
const arrivalMs = 60_000

/** Listens until it is closed. */
export async function listenForReviews(options: ListenerOptions): Promise<Listener> {
  const { certificate, listen, log } = options
  const answers = new Answers(options)
  const server = createServer(certificate, (request, response) => {
    answers.answer(request, response).catch((error: unknown) => {
      log.error('a review cannot be answered', {}, error)
      response.destroy()
    })
  })
  server.requestTimeout = arrivalMs
  await listening(server, listen)
  return {
    port: (server.address() as AddressInfo).port,
    show: (next) => server.setSecureContext(next),
    close() {
      answers.closing = true
      return closed(server)
    },
  }
}

class Answers {
  readonly #options: ListenerOptions
  readonly #bodies = new BodyBudget(bodyLimits)
  readonly #metrics: ReviewMetrics | undefined
  closing = false

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#metrics = options.metrics && createReviewMetrics(options.metrics, options.clock)
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handlers } = this.#options
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const handler = handlers.get(path)
    if (handler === undefined) {
      return refuse(response, 404, `there is only ${[...handlers.keys()].join(', ')}`)
    }
    if (request.method !== 'POST') return refuse(response, 405, 'a review is sent by POST')
    const ended = this.#metrics?.began(path)
    try {
      const text = await this.#bodies.use(request, async (body) =>
        encodeJson(await this.#ask(handler, request, path, query, body)),
      )
      if (this.closing) response.setHeader('connection', 'close')
      response.setHeader('content-type', 'application/json')
      response.end(text)
    } catch (error) {
      if (!isStatus(error)) throw error
      refuse(response, error.code, error.message)
    } finally {
      ended?.(response.statusCode)
    }
  }

  #ask(
    handler: ReviewHandler,
    { headers }: IncomingMessage,
    path: string,
    query: string,
    body: Buffer,
  ): Promise<object> {
    const { tracer, propagation } = this.#options
    const review = decodeJson(body, reviewLimits).value
    const log = logWith(this.#options.log, { webhook: path })
    const attributes = { 'orch.webhook': path }
    return withinTrace(propagation, headers, () =>
      inSpan(tracer, `webhook ${path}`, attributes, (span) =>
        this.#inTime(answerTimeMs(query), log, (call) => handler(review, { ...call, log, span })),
      ),
    )
  }

  /** What is thrown meanwhile is for the log: who sent the request that is reviewed is told where to look. */
  async #inTime(
    ms: number,
    log: Log,
    work: (call: Pick<ReviewCall, 'note' | 'signal'>) => Promise<object>,
  ): Promise<object> {
    let facts: LogFields = {}
    const note = (more: LogFields): void => {
      facts = { ...facts, ...more }
    }
    const limit = deadline(this.#options.clock, never, 0, ms)
    const over = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => {
        const message = `the webhook did not answer within ${ms / 1000} s: its log says which one hangs`
        reject(new StatusError('InternalError', message))
      })
    })
    try {
      return await Promise.race([work({ signal: limit.signal, note }), over])
    } catch (error) {
      if (error instanceof BadReview) throw error
      const hangs = limit.signal.aborted
      log.error(hangs ? 'a webhook hangs: its time is over' : 'a webhook failed', facts, error)
      throw hangs ? error : new StatusError('InternalError', 'the webhook failed: its log says why')
    } finally {
      limit.end()
    }
  }
}

const never = new AbortController().signal

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' })
  response.end(`${message}\n`)
}

function listening(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
