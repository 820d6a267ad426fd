import type { AuthenticationPeer, UserInfo } from '../../auth/auth.ts'
import type { DecodeLimits } from '../../serializer/serializer.ts'

/** A header as it was sent: its value, or its values where it stood several times. */
export type HeaderValue = string | readonly string[] | undefined

/**
 * A request, whatever carried it: node:http, a call in the same process, the handshake of a websocket. It is plain data, so
 * that filters may pass on a changed copy.
 */
export interface HttpRequest {
  /** In upper case, as HTTP has it. */
  readonly method: string
  /** Path and query as they were sent, percent-encoded. */
  readonly url: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, HeaderValue>>
  /** Names and values in turn as they came, where `headers` has joined those that stood several times. */
  readonly rawHeaders?: readonly string[]
  /**
   * The body as it arrives. It can be read once; a reader that stops early leaves the rest to the carrier. Fails if the client goes
   * away before its end.
   */
  readonly body: () => AsyncIterable<Uint8Array>
  /** The whole body, where it has been read. */
  readonly received?: Uint8Array
  /** What its body may hold; without it, the defaults. */
  readonly limits?: BodyLimits
  /** The other end of the connection; absent for a request of the same process. */
  readonly peer?: AuthenticationPeer
  /** The user whom the carrier vouches for; such a request is not authenticated. */
  readonly user?: UserInfo
}

/** What a body may hold. */
export interface BodyLimits {
  /** Bytes, before they are decoded. */
  readonly bodyBytes: number
  /** Depth, values and names of what is decoded. */
  readonly decode: DecodeLimits
}

/** The single value of a header, the first of several. `name` is in lower case. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' || value === undefined ? value : value[0]
}
