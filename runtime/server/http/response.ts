import type { Duplex } from 'node:stream'
import type { Item } from '../../registry/registry.ts'
import type { EncodedBody } from '../../serializer/serializer.ts'

/** A response as an endpoint makes it. Its filters may pass on a changed copy; nothing of it is sent before all are done. */
export interface HttpResponse {
  readonly status: number
  /** By name as it is written; the filters add those of every response. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Bytes, a body that is made while it is sent, of known length or not, or a stream that ends when it wants to. */
  readonly body: EncodedBody | BodyStream
  /** For the audit event of the request. */
  readonly annotations?: ReadonlyMap<string, string>
  /** The Status that the body holds, for responses that are one. */
  readonly statusBody?: object
  /** The object as it is stored after a write. */
  readonly writtenItem?: Item
  /** The failure is a bug of the server and not the client's. */
  readonly internalError?: true
  /** The connection goes on with this one, as another protocol; there is no body then. */
  readonly tunnel?: Tunnel
  /** The body of the request is read while this one is sent. */
  readonly takesBody?: true
}

/** A connection to another server that goes on as another protocol, and what came of it already. */
export interface Tunnel {
  readonly socket: Duplex
  readonly head: Uint8Array
}

/** A response with all the headers that it is sent with. */
export interface RawResponse {
  readonly status: number
  /** Names and values in turn, as node:http takes them: nothing is copied to send them. */
  readonly headers: readonly (string | readonly string[])[]
  readonly body: HttpResponse['body']
  readonly tunnel?: Tunnel
  readonly takesBody?: true
}

/** Writes a body as it comes to be. Resolves when the body is complete, and soon after the sink closed. */
export type BodyStream = (sink: Sink) => Promise<void>

/** A piece of a stream beside the same bytes as a chunk of HTTP/1.1, so that many connections share the framing. */
export interface Frame {
  readonly payload: Uint8Array
  /** The payload between its length in hexadecimal and a line end. */
  readonly chunk: Uint8Array
}

/** Where a stream goes. */
export interface Sink {
  /** False if the receiver is behind: wait for `drained` before the next frame. What is written is not lost. */
  write(frame: Frame): boolean
  /** Gathers what `writes` writes into one packet where the carrier can. */
  cork(writes: () => void): void
  /** Resolves once the receiver took what was written, or is gone. */
  drained(): Promise<void>
  /** Runs once when the receiver is gone; at once if it is gone already. */
  onClose(run: () => void): void
}

const crlf = '\r\n'

/** Frames a piece. A piece is never empty: an empty chunk would end the body. */
export function frameOf(payload: Uint8Array): Frame {
  const head = Buffer.from(payload.length.toString(16) + crlf, 'latin1')
  const chunk = Buffer.allocUnsafe(head.length + payload.length + 2)
  chunk.set(head)
  chunk.set(payload, head.length)
  chunk.write(crlf, head.length + payload.length, 'latin1')
  return { payload: chunk.subarray(head.length, head.length + payload.length), chunk }
}

/** A plain text in UTF-8; browsers may not guess at another type, since it may quote what a client sent. */
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
