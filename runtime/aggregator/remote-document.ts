/** Documents of other servers: what they send may be anything, so time and bytes are bounded. */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../kernel/async/clock.ts'
import type { UserInfo } from '../kernel/auth/user-info.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import { type DecodeLimits, decodeJson } from '../serializer/serializer.ts'
import type { ServiceEndpoint } from '../webhook/webhook.ts'
import { addressText } from './connection-errors.ts'
import { userHeaders } from './identity-headers.ts'
import { type RemoteConnection, UnreachableError } from './remote-connection.ts'

/** A document that is asked for. */
export interface DocumentRequest {
  readonly path: string
  readonly accept: string
  /** On whose behalf. */
  readonly user: UserInfo
  /** The tag of what is there already. */
  readonly tag?: string | undefined
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** What came; empty where it is what is there already, or an error. */
export interface RemoteDocument {
  readonly status: number
  readonly contentType: string
  readonly tag: string | undefined
  readonly bytes: Buffer
}

/** Where a document is asked for. */
export interface DocumentSource {
  readonly connection: RemoteConnection
  readonly endpoint: ServiceEndpoint
  readonly clock: Clock
  /** Ends the request. */
  readonly signal: AbortSignal
}

/** Asks for a document. @throws an Error that says why there is none. */
export async function fetchDocument(
  { connection, endpoint, clock, signal }: DocumentSource,
  { path, accept, user, tag, timeoutMs, maxBytes }: DocumentRequest,
): Promise<RemoteDocument> {
  const ended = new AbortController()
  const cancel = clock.after(timeoutMs, () => ended.abort())
  try {
    const { message } = await connection.ask(endpoint, {
      method: 'GET',
      path,
      headers: {
        ...userHeaders(user),
        accept,
        host: addressText(endpoint.host, endpoint.port),
        ...(tag !== undefined && { 'if-none-match': tag }),
      },
      signal: AbortSignal.any([signal, ended.signal]),
    })
    const { etag, 'content-type': contentType = '' } = message.headers
    const status = message.statusCode ?? 0
    const bytes = status === 200 ? await wholeBody(message, maxBytes) : nothing(message)
    return { status, contentType, tag: etag, bytes }
  } catch (cause) {
    if (!ended.signal.aborted) throw cause
    throw new UnreachableError(timeoutText, { cause })
  } finally {
    cancel()
  }
}

/** A body that is not read ends with its connection. */
function nothing(message: IncomingMessage): Buffer {
  message.destroy()
  return Buffer.alloc(0)
}

async function wholeBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new UnreachableError(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** As clients of the public server know it. */
const timeoutText = 'net/http: request canceled (Client.Timeout exceeded while awaiting headers)'

/** What a document may hold: schema documents of many kinds are larger than any object. */
const limits: DecodeLimits = { depth: 200, values: 1_000_000, keys: 100_000, items: 20_000 }

/** A document as an object. @throws an Error for one that is none. */
export function readDocument({ bytes }: Pick<RemoteDocument, 'bytes'>): JsonObject {
  const { value } = decodeJson(bytes, limits)
  if (isObject(value)) return value
  throw new Error('the document is no object')
}
