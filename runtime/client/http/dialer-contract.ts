import type { Readable } from 'node:stream'
import type { Headers } from './credentials.ts'
import type { TransportRequest, TransportResponse } from './transport.ts'

/** The head of a response, and its body as it comes. */
export interface RawResponse extends Omit<TransportResponse, 'body'> {
  readonly body: Readable
}

/** Sends requests over connections that are kept. */
export interface Dialer {
  /** Resolves when the head of the response is there. A GET whose connection broke before that is sent once more. */
  send(path: string, request: TransportRequest, headers: Headers): Promise<RawResponse>
  /** Keeps no connection any more; requests under way go on. */
  retire(): void
  /** Closes every connection. */
  close(): void
}
