import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { type BodyStream, frameOf, type HttpResponse } from '../http/message.ts'
import type { Filter, Middleware, RequestContext } from './filter.ts'

/** Middleware of users as filters of the server; none for none. */
export function extensions(use: readonly Middleware[]): readonly Filter[] {
  return use.length === 0 ? [] : [adoption, ...use.map(promising)]
}

/** Koa promises its middleware that `next` gives a promise. */
function promising(middleware: Middleware): Filter {
  return async (ctx, next) => {
    await middleware(ctx, async () => next())
  }
}

/** Takes what a middleware answered with by Koa's means (`ctx.body`, `ctx.status`) as the response. */
async function adoption(ctx: RequestContext, next: () => void | Promise<void>): Promise<void> {
  const { res, state } = ctx
  res.statusCode = 404
  await next()
  if (ctx.body === undefined && state.response !== undefined) return
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = res.getHeaders()
  state.response = {
    status: ctx.status,
    headers: headers as HttpResponse['headers'],
    body: bodyOf(ctx.body),
  }
}

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

function streamOf(body: Readable): BodyStream {
  return async (sink) => {
    sink.onClose(() => body.destroy())
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk as Uint8Array)
      if (bytes.length > 0 && !sink.write(frameOf(bytes))) await sink.drained()
    }
  }
}
