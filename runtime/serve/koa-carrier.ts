import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'
import type { Awaitable } from '../kernel/awaitable.ts'
import type { Core } from './core.ts'
import type { Incoming, Reply } from './exchange.ts'
import { incomingOf, type Patience, send } from './node-carrier.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Carries requests over node:http. One whose answer has to be waited for gets a Koa context meanwhile; what is answered at
 * once needs none, which spares a get a tenth of its cost. Answers are written to the response directly: Koa's own way of
 * responding would cost a fifth of the throughput and a second buffer for each watch, and what it attaches to every
 * response to hear of its end another twentieth. `send` knows that end itself.
 */
export function koaHandler(
  answer: (request: Incoming) => Awaitable<Reply>,
  { log, limits, clock }: Pick<Core, 'log' | 'limits' | 'clock'>,
): Handler {
  const app = new Koa()
  const patience: Patience = { after: (cut) => clock.after(limits.stalledMs, cut) }
  const failed = (error: NodeJS.ErrnoException): void => {
    if (!clientLeft(error)) log.error('answer not sent', {}, error)
  }
  return (request, response) => {
    try {
      const reply = answer(incomingOf(request, limits))
      if (reply instanceof Promise) {
        carry(app.createContext(request, response), reply, patience).catch(failed)
      } else send(response, reply, patience)?.catch(failed)
    } catch (error) {
      failed(error as Error)
    }
  }
}

async function carry(
  { req, res }: Koa.Context,
  reply: Promise<Reply>,
  patience: Patience,
): Promise<void> {
  await send(res, await reply, patience)
  // What an answer did not wait for still has to be read, for the connection's next request comes behind it. Where
  // nobody began to read, node:http does it.
  if (req.readableDidRead && !req.readableEnded) req.resume()
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
