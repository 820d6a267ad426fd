import { createHash } from 'node:crypto'
import { type HttpRequest, type HttpResponse, headerOf } from '../http/message.ts'
import type { Query } from '../request/query.ts'
import { applyLayout, isPlain, layoutOf } from './layout.ts'
import { contentType, negotiate, offers } from './media-types.ts'
import { type ProtobufFormat, protobufDocument } from './protobuf.ts'

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

/** Answers with a document in the form that the client asks for. */
export async function documentResponse(
  request: HttpRequest,
  query: Query,
  { json, bytes }: Pick<HashedDocument, 'json' | 'bytes'>,
  binary?: ProtobufFormat,
): Promise<HttpResponse> {
  const accept = headerOf(request, 'accept')
  const value = binary && accept?.includes('protobuf') ? typedObject(json) : undefined
  const offer =
    value === undefined ? offers.plain : { ...offers.plain, binary: binary?.types ?? [] }
  const media = negotiate(accept, offer)
  const layout = layoutOf(media, request, query)
  if (media.format === 'protobuf' && binary !== undefined && value !== undefined) {
    const headers = { 'Content-Type': contentType(media) }
    return { status: 200, headers, body: await protobufDocument(binary, value) }
  }
  const body = isPlain(layout) ? bytes : await applyLayout(json, layout)
  return { status: 200, headers: { 'Content-Type': contentType(media) }, body }
}

/** The document if it is an API object: the version and the list of paths are not, and have no protobuf form. */
function typedObject(json: string): { readonly kind: string } | undefined {
  const value = JSON.parse(json) as { readonly kind?: string }
  return value.kind === undefined ? undefined : { ...value, kind: value.kind }
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
