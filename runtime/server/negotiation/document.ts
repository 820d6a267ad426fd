import { createHash } from 'node:crypto'
import type { Serializer } from '../../serializer/serializer.ts'
import { type HttpRequest, type HttpResponse, headerOf } from '../http/message.ts'
import type { Query } from '../http/query.ts'
import { type NegotiatedMedia, negotiate, offers } from './media-types.ts'
import { wantsPretty } from './pretty.ts'

/** A JSON document that changes only with the server. */
export interface HashedDocument {
  readonly json: string
  readonly bytes: Uint8Array
  /** SHA-512 of the text, in upper-case hex. */
  readonly hash: string
}

export function hashedDocument(value: unknown): HashedDocument {
  const json = typeof value === 'string' ? value : JSON.stringify(value)
  return {
    json,
    bytes: Buffer.from(`${json}\n`),
    hash: createHash('sha512').update(json).digest('hex').toUpperCase(),
  }
}

/** The response with a document in the form that the client asks for. */
export async function documentResponse(
  request: HttpRequest,
  query: Query,
  { json, bytes }: Pick<HashedDocument, 'json' | 'bytes'>,
  serializers: readonly Serializer[],
): Promise<HttpResponse> {
  const accept = headerOf(request, 'accept')
  const { serializer, mediaType } = documentMedia(accept, json, serializers)
  const pretty = wantsPretty(request, query)
  const stored = serializer === serializers[0] && !pretty
  const body = stored ? bytes : await serializer.encodeDocument(json, pretty)
  return { status: 200, headers: { 'Content-Type': mediaType }, body }
}

/** The version and the list of paths say no kind: not every format can carry them. */
function documentMedia(
  accept: string | undefined,
  json: string,
  serializers: readonly Serializer[],
): NegotiatedMedia {
  const untyped = serializers.filter(({ carriesUntyped }) => carriesUntyped)
  try {
    const media = negotiate(accept, offers.plain, serializers)
    if (media.serializer.carriesUntyped || isTyped(json)) return media
  } catch (error) {
    if (isTyped(json)) throw error
  }
  return negotiate(accept, offers.plain, untyped)
}

function isTyped(json: string): boolean {
  return (JSON.parse(json) as { readonly kind?: string }).kind !== undefined
}

/** Answers with bytes that the client may keep: 304 if it has them already. */
export function etagResponse(
  request: HttpRequest,
  hash: string,
  headers: HttpResponse['headers'],
  body: Uint8Array,
): HttpResponse {
  const tag = `"${hash}"`
  const known = headerOf(request, 'if-none-match')
    ?.split(',')
    .some((one) => one.trim().replace(/^W\//, '') === tag)
  if (!known) return { status: 200, headers: { ETag: tag, ...headers }, body }
  const { 'Content-Type': _, ...kept } = headers
  return { status: 304, headers: { ETag: tag, ...kept }, body: new Uint8Array(0) }
}
