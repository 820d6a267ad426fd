import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { ServerContext } from '../server-context.ts'
import type { HttpRequest, RawResponse } from './message.ts'
import { discardBody, nodeRequest, type StallTimer, sendResponse } from './node-message.ts'

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Answers requests of node:http: what is in memory at once, without a promise, the rest when its answer is there. An answer
 * that cannot be sent ends its connection, so that nobody waits for it.
 */
export function nodeHandler(
  answer: (request: HttpRequest) => Awaitable<RawResponse>,
  { log, limits, clock }: Pick<ServerContext, 'log' | 'limits' | 'clock'>,
): NodeHandler {
  const patience: StallTimer = { after: (cut) => clock.after(limits.stalledMs, cut) }
  const failed = (response: ServerResponse, error: NodeJS.ErrnoException): void => {
    if (!isClientDisconnect(error)) log.error('answer not sent', {}, error)
    response.destroy()
  }
  return (request, response) => {
    try {
      const reply = answer(nodeRequest(request, limits))
      if (reply instanceof Promise) {
        sendAsync(request, response, reply, patience).catch((error) => failed(response, error))
      } else {
        discardBody(request)
        sendResponse(response, reply, patience)?.catch((error) => failed(response, error))
      }
    } catch (error) {
      failed(response, error as Error)
    }
  }
}

async function sendAsync(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Promise<RawResponse>,
  patience: StallTimer,
): Promise<void> {
  const made = await reply
  discardBody(request)
  await sendResponse(response, made, patience)
}

const disconnectCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
])

/** Every client that ends a watch by leaving, or goes in the middle of a request, shows up as one of these. */
function isClientDisconnect({ code = '' }: NodeJS.ErrnoException): boolean {
  return disconnectCodes.has(code)
}
