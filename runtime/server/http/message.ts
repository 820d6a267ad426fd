/** What a request and its answer are, apart from what carries them. */

import type { UserInfo } from '../../auth/auth.ts'
import type { Item } from '../../registry/registry.ts'
import type { DecodeLimits, SegmentedBody } from '../../serializer/serializer.ts'

export type HeaderValue = string | readonly string[] | undefined

/** A request as it came in. Header names are in lower case. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  readonly headers: Readonly<Record<string, HeaderValue>>
  readonly body: () => AsyncIterable<Uint8Array>
  /** What its body may hold; without it, the defaults. */
  readonly limits?: BodyLimits
  /** The other end of the connection, if there is one. */
  readonly peer?: Peer
  /** Whose request it is, where its carrier vouches for that: it is not authenticated. */
  readonly user?: UserInfo
}

export interface Peer {
  readonly remoteAddress?: string | undefined
}

export interface BodyLimits {
  /** Bytes of a body. */
  readonly bodyBytes: number
  /** What the text of a body may hold. */
  readonly decode: DecodeLimits
}

/** Writes a body as it comes to be. It returns when the body is complete, and soon after the sink closed. */
export type BodyStream = (sink: Sink) => Promise<void>

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array | SegmentedBody | BodyStream
  /** What is noted of the request for whoever keeps a record of it. */
  readonly annotations?: ReadonlyMap<string, string>
  /** The Status that is the answer, if it is one. */
  readonly statusBody?: object
  /** The object that was written. */
  readonly writtenItem?: Item
  /** The answer is ours to be sorry for. */
  readonly internalError?: true
}

/** An answer with all the headers that it is sent with: names and values by turns. */
export interface RawResponse {
  readonly status: number
  readonly headers: readonly (string | readonly string[])[]
  readonly body: HttpResponse['body']
}

/** A piece of a stream, beside the same bytes framed as a chunk of HTTP/1.1, so that many sinks share the framing. */
export interface Frame {
  readonly payload: Uint8Array
  readonly chunk: Uint8Array
}

/** Where a stream goes. */
export interface Sink {
  /** False if the receiver is behind; a fair writer then waits for `drained`. */
  write(frame: Frame): boolean
  /** Gathers what `writes` writes into one packet where the carrier can. */
  cork(writes: () => void): void
  /** Resolves once the receiver took what was written, or is gone. */
  drained(): Promise<void>
  /** Runs once when the receiver is gone; at once if it is gone already. */
  onClose(run: () => void): void
}

const crlf = '\r\n'

/** Frames a piece; a piece is never empty, for an empty chunk would end the body. */
export function frameOf(payload: Uint8Array): Frame {
  const head = Buffer.from(payload.length.toString(16) + crlf, 'latin1')
  const chunk = Buffer.allocUnsafe(head.length + payload.length + 2)
  chunk.set(head)
  chunk.set(payload, head.length)
  chunk.write(crlf, head.length + payload.length, 'latin1')
  return { payload: chunk.subarray(head.length, head.length + payload.length), chunk }
}

/** The single value of a header; of several, the first. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' || value === undefined ? value : value[0]
}

export function textResponse(
  status: number,
  text: string,
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  return {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
    body: Buffer.from(text),
  }
}
