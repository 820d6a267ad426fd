import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import compose from 'koa-compose'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Filter, Middleware, RequestContext } from '../context/filter.ts'
import { type BodyStream, frameOf, type HttpResponse } from '../http/response.ts'

/**
 * Middleware of users as filters of the server, composed as Koa composes it: `next` gives a promise and may be called once.
 * None for none.
 */
export function extensions(use: readonly Middleware[]): readonly Filter[] {
  if (use.length === 0) return []
  const composed = compose([...use])
  return [adoption, (ctx, next) => composed(ctx, async () => next())]
}

/**
 * Takes what a middleware answered with by Koa's means (`ctx.body`, `ctx.status`, `ctx.set`) as the response: a body replaces
 * the server's response, headers alone are added to it.
 */
export async function adoption(ctx: RequestContext, next: () => Awaitable<void>): Promise<void> {
  const { res, state } = ctx
  res.statusCode = 404
  await next()
  const headers = takeHeaders(res)
  if (ctx.body === undefined && state.response !== undefined) {
    state.response = { ...state.response, headers: { ...state.response.headers, ...headers } }
  } else {
    state.response = { status: ctx.status, headers, body: bodyOf(ctx.body) }
  }
}

/**
 * The headers that were set on the raw response, in the case in which the server writes its own. None stays there: a length of the body
 * as Koa knows it would be sent with a body that was compressed since.
 */
function takeHeaders(res: ServerResponse): HttpResponse['headers'] {
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = res.getHeaders()
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  const entries = Object.entries(headers).map(([name, value]) => [
    name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase()),
    Array.isArray(value) ? value : String(value),
  ])
  return Object.fromEntries(entries)
}

/** What Koa makes of a body: text, bytes, a stream of Node or of the web; any other value is JSON. */
function bodyOf(body: unknown): HttpResponse['body'] {
  if (body === undefined || body === null) return new Uint8Array(0)
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof Readable) return streamOf(body)
  if (body instanceof globalThis.ReadableStream) {
    return streamOf(Readable.fromWeb(body as ReadableStream))
  }
  return Buffer.from(JSON.stringify(body))
}

/** Ends the source when the client goes. */
function streamOf(body: Readable): BodyStream {
  return async (sink) => {
    sink.onClose(() => body.destroy())
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk as Uint8Array)
      if (bytes.length > 0 && !sink.write(frameOf(bytes))) await sink.drained()
    }
  }
}
