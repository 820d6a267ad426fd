import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Awaitable } from '../kernel/awaitable.ts'
import type { Core } from './core.ts'
import type { Incoming, Reply } from './exchange.ts'
import { discardBody, incomingOf, type Patience, send } from './node-carrier.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Answers requests of node:http: what is in memory at once, without a promise, the rest when its answer is there. An answer
 * that cannot be sent ends its connection, so that nobody waits for it.
 */
export function handlerOf(
  answer: (request: Incoming) => Awaitable<Reply>,
  { log, limits, clock }: Pick<Core, 'log' | 'limits' | 'clock'>,
): Handler {
  const patience: Patience = { after: (cut) => clock.after(limits.stalledMs, cut) }
  const failed = (response: ServerResponse, error: NodeJS.ErrnoException): void => {
    if (!clientLeft(error)) log.error('answer not sent', {}, error)
    response.destroy()
  }
  return (request, response) => {
    try {
      const reply = answer(incomingOf(request, limits))
      if (reply instanceof Promise) {
        sendLater(request, response, reply, patience).catch((error) => failed(response, error))
      } else {
        discardBody(request)
        send(response, reply, patience)?.catch((error) => failed(response, error))
      }
    } catch (error) {
      failed(response, error as Error)
    }
  }
}

async function sendLater(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Promise<Reply>,
  patience: Patience,
): Promise<void> {
  const made = await reply
  discardBody(request)
  await send(response, made, patience)
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
