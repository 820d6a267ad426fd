import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'
import type { Log } from '../observe/observe.ts'
import type { Answer, Incoming } from './exchange.ts'
import { incomingOf, send } from './node-carrier.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Carries requests over node:http by one Koa middleware. Answers are written to the response directly: Koa's own way of
 * responding would cost a fifth of the throughput, and a second buffer for each watch.
 */
export function koaHandler(answer: (request: Incoming) => Promise<Answer>, log: Log): Handler {
  const app = new Koa()
  app.use(async (context) => {
    context.respond = false
    const { req, res } = context
    await send(res, await answer(incomingOf(req)))
    // What an answer did not wait for still has to be read, for the connection's next request comes behind it.
    if (!req.readableEnded) req.resume()
  })
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!clientLeft(error)) log.error('answer not sent', {}, error)
  })
  return app.callback()
}

const leaving: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
])

/** Every client that ends a watch by leaving, or goes in the middle of a request, shows up as one of these. */
function clientLeft({ code = '' }: NodeJS.ErrnoException): boolean {
  return leaving.has(code)
}
