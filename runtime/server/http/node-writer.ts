import type { ServerResponse } from 'node:http'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Log } from '../../observe/observe.ts'
import type { Limits } from './limits.ts'
import { type StallTimer, sendResponse } from './node-message.ts'
import type { RawResponse } from './response.ts'

/** Writes the responses of one server to node:http. */
export interface NodeWriter {
  /** Done at once where nothing has to be waited for; fails if the response could not be sent. */
  send(response: ServerResponse, raw: RawResponse): void | Promise<void>
  /** Ends the connection of a response that cannot be sent, so that no client waits for it. */
  failed(response: ServerResponse, error: NodeJS.ErrnoException): void
}

/** What bounds and reports the sending of responses. */
export interface NodeWriterOptions {
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
}

/** A writer that cuts off receivers which take nothing for `limits.stalledMs`. */
export function nodeWriter({ clock, log, limits }: NodeWriterOptions): NodeWriter {
  const timer: StallTimer = {
    after: (cut, ms = limits.stalledMs) => clock.after(ms, cut),
  }
  return {
    send: (response, raw) => sendResponse(response, raw, timer),
    failed(response, error) {
      if (!isClientDisconnect(error)) log.error('response not sent', {}, error)
      response.destroy()
    },
  }
}

/** Codes of a client that ends a watch by leaving, or goes in the middle of a request. */
const disconnectCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
])

function isClientDisconnect({ code = '' }: NodeJS.ErrnoException): boolean {
  return disconnectCodes.has(code)
}
