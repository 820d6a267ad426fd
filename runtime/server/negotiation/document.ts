import { createHash } from 'node:crypto'
import type { Serializer } from '../../serializer/serializer.ts'
import type { Query } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import { negotiate, offers } from './media-types.ts'
import { wantsPretty } from './pretty.ts'

/** A JSON document that depends on nothing but the scheme, made once and sent often. */
export interface HashedDocument {
  readonly json: string
  /** The text in UTF-8 with a final newline. */
  readonly bytes: Uint8Array
  /** SHA-512 of the text in upper-case hex: clients compare it, as an ETag and in the query of a schema document. */
  readonly hash: string
}

/** A document with its hash; a text is taken as it is, any other value is written as JSON. */
export function hashedDocument(value: unknown): HashedDocument {
  const json = typeof value === 'string' ? value : JSON.stringify(value)
  const hash = createHash('sha512').update(json).digest('hex').toUpperCase()
  if (json.length <= maxKeptLength) return { json, bytes: bytesOf(json), hash }
  return {
    json,
    hash,
    get bytes() {
      return bytesOf(json)
    },
  }
}

/** Of a longer document, in characters, only the text is kept: clients ask for it once and keep it themselves. */
const maxKeptLength = 256 * 1024

function bytesOf(json: string): Uint8Array {
  return Buffer.from(`${json}\n`)
}

/**
 * The response with a document in the format that the client accepts.
 *
 * @throws StatusError NotAcceptable if it accepts none that can carry the document.
 */
export async function documentResponse(
  request: HttpRequest,
  query: Query,
  { json, bytes }: Pick<HashedDocument, 'json' | 'bytes'>,
  serializers: readonly Serializer[],
): Promise<HttpResponse> {
  const accept = headerOf(request, 'accept')
  const media = negotiate(accept, offers.plain, serializers)
  const { serializer, mediaType } = media
  const pretty = wantsPretty(request, query, media)
  const stored = serializer === serializers[0] && !pretty
  const body = stored ? bytes : await serializer.encodeDocument(json, pretty)
  return { status: 200, headers: { 'Content-Type': mediaType }, body }
}

/** A document that goes out as JSON, indented for people, whatever the client prefers. */
export function indentedResponse({ json }: Pick<HashedDocument, 'json'>): HttpResponse {
  const body = Buffer.from(JSON.stringify(JSON.parse(json), undefined, 2))
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body }
}

/** A response that the client may keep: 304 without a body if `If-None-Match` names the same hash. */
export function etagResponse(
  request: HttpRequest,
  hash: string,
  headers: HttpResponse['headers'],
  body: Uint8Array,
): HttpResponse {
  const tag = `"${hash}"`
  if (!hasDocument(request, hash)) return { status: 200, headers: { ETag: tag, ...headers }, body }
  const { 'Content-Type': _, ...kept } = headers
  return { status: 304, headers: { ETag: tag, ...kept }, body: new Uint8Array(0) }
}

/** True for a client that has the document of this hash: it gets no body. */
export function hasDocument(request: HttpRequest, hash: string): boolean {
  const tags = headerOf(request, 'if-none-match')?.split(',') ?? []
  return tags
    .map((one) => one.trim())
    .some((one) => one === '*' || one.replace(/^W\//, '') === `"${hash}"`)
}
