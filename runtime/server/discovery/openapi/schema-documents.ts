import type { Clock } from '../../../kernel/async/clock.ts'
import type { Scheme } from '../../../kernel/descriptors/scheme.ts'
import { createJsonSerializer } from '../../../serializer/serializer.ts'
import type { Query } from '../../http/query.ts'
import { type HttpRequest, headerOf } from '../../http/request.ts'
import { type HttpResponse, textResponse } from '../../http/response.ts'
import { etagResponse, type HashedDocument, hashedDocument } from '../../negotiation/document.ts'
import { negotiate, offers } from '../../negotiation/media-types.ts'
import { routeTable } from '../../request/resource-path.ts'
import { servedGroups } from '../../request/served-groups.ts'
import type { SwaggerCache } from './v2-document.ts'
import { discoveryPathDocument, discoveryPathKeys } from './v3-discovery-paths.ts'

/** The OpenAPI documents of a scheme. They are large: all are loaded at the first request for one, and kept. */
export interface SchemaDocuments {
  /** Single documents by their text: what a server of another scheme need not make again. */
  readonly cache: SchemaDocumentCache
  /** `/openapi/v3` and what is below it; undefined if there is no such document. */
  v3(request: HttpRequest, key: string, query: Query): Promise<HttpResponse | undefined>
  /** `/openapi/v2`, the whole API in one document. */
  v2(request: HttpRequest): Promise<HttpResponse>
}

/** A document with its hash in the URL never changes: clients may keep it for a year. */
const yearMs = 365 * 24 * 3_600_000

/** How the public API server names the protobuf form of version 2, and how its clients ask for it. */
const v2Type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const v2Accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** Documents by their text, in both versions. */
export interface SchemaDocumentCache {
  readonly v3: Map<string, HashedDocument>
  readonly v2: SwaggerCache
}

/** The documents of a scheme, with what `cache` has of them. */
export function schemaDocuments(
  scheme: Scheme,
  clock: Clock,
  memory: SchemaDocumentCache = { v3: new Map(), v2: new Map() },
): SchemaDocuments {
  let v3: Promise<V3> | undefined
  let v2: Promise<V2> | undefined
  return {
    cache: memory,
    async v3(request, key, query) {
      v3 ??= loadV3(scheme, memory.v3)
      const { index, documents } = await v3
      if (key === '') return indexResponse(request, index)
      const document = documents.get(key)
      return document && schemaResponse(request, key, document, query.text('hash'), clock)
    },
    async v2(request) {
      v3 ??= loadV3(scheme, memory.v3)
      v2 ??= v3.then(({ documents }) => buildV2(scheme, documents, memory.v2))
      return v2Response(request, await v2)
    },
  }
}

/** The documents of version 3 by key (`apis/apps/v1`), and the index that names them with their hashes. */
interface V3 {
  readonly index: HashedDocument
  readonly documents: ReadonlyMap<string, HashedDocument>
}

async function loadV3(scheme: Scheme, memory: SchemaDocumentCache['v3']): Promise<V3> {
  const groups = servedGroups(scheme, routeTable(scheme)).map(({ group }) => group)
  const schemas = ((await scheme.discoverySchemas?.()) ?? {}) as Readonly<Record<string, object>>
  const small = discoveryPathKeys(groups).map(
    (key) => [key, discoveryPathDocument(scheme.platform, key, schemas)] as const,
  )
  const texts = [...Object.entries(await scheme.openapi()), ...small]
  const documents = new Map(
    texts.map(([key, text]) => [key, memory.get(text) ?? hashedDocument(text)] as const),
  )
  memory.clear()
  for (const document of documents.values()) memory.set(document.json, document)
  const paths = [...documents.keys()]
    .sort()
    .map((key) => [key, { serverRelativeURL: documentUrl(key, documents) }])
  return { index: hashedDocument({ paths: Object.fromEntries(paths) }), documents }
}

function documentUrl(key: string, documents: ReadonlyMap<string, HashedDocument>): string {
  return `/openapi/v3/${key}?hash=${documents.get(key)?.hash}`
}

/** The index changes with the scheme, so clients ask each time whether theirs is current. */
function indexResponse(request: HttpRequest, { hash, bytes }: HashedDocument): HttpResponse {
  const media = negotiate(headerOf(request, 'accept'), offers.plain, jsonOnly)
  const headers = {
    'Content-Type': media.mediaType,
    'Cache-Control': 'no-cache, private',
    Vary: 'Accept',
  }
  return etagResponse(request, hash, headers, bytes)
}

/** The index and the documents have no YAML form. */
const jsonOnly = [createJsonSerializer()]

const v3Type = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
const v3Accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'

/** Documents in protobuf, each made at the first request for it. */
const binaries = new WeakMap<HashedDocument, Promise<Uint8Array>>()

function protobufOf(document: HashedDocument): Promise<Uint8Array> {
  const known = binaries.get(document)
  if (known !== undefined) return known
  const made = import('./v3-protobuf.ts').then(({ openapiBinary }) => openapiBinary(document.json))
  binaries.set(document, made)
  return made
}

/**
 * A document under its hash may be kept for ever; an outdated hash is redirected to the current one, and without a hash clients
 * ask each time whether theirs is current.
 */
async function schemaResponse(
  request: HttpRequest,
  key: string,
  document: HashedDocument,
  asked: string | undefined,
  clock: Clock,
): Promise<HttpResponse> {
  const { hash } = document
  if (asked !== undefined && asked !== hash) {
    const Location = `/openapi/v3/${key}?hash=${hash}`
    return textResponse(301, '', { Location, 'Cache-Control': 'no-cache, no-store' })
  }
  const accept = headerOf(request, 'accept')
  const binary = accept?.includes(v3Accept) || accept?.includes(v3Type)
  const type = binary ? v3Type : negotiate(accept, offers.plain, jsonOnly).mediaType
  const caching =
    asked === undefined
      ? { 'Cache-Control': 'no-cache, private' }
      : {
          'Cache-Control': 'public, immutable',
          Expires: new Date(clock.now() + yearMs).toUTCString(),
        }
  const headers = { 'Content-Type': type, Vary: 'Accept', ...caching }
  const body = binary ? await protobufOf(document) : document.bytes
  return etagResponse(request, binary ? `${hash}-P` : hash, headers, body)
}

/** Version 2 in both forms. */
interface V2 {
  readonly json: Pick<HashedDocument, 'bytes' | 'hash'>
  readonly protobuf: Uint8Array
}

/** What makes it is loaded with the first request: most clients ask for version 3. */
async function buildV2(
  scheme: Scheme,
  documents: V3['documents'],
  memory: SwaggerCache,
): Promise<V2> {
  const { swaggerOf } = await import('./v2-document.ts')
  const texts = [...documents.values()].map(({ json: text }) => text)
  const { json, binary } = await swaggerOf(scheme, texts, memory)
  const { bytes, hash } = hashedDocument(json)
  return { json: { bytes, hash }, protobuf: binary }
}

function v2Response(request: HttpRequest, { json, protobuf }: V2): HttpResponse {
  const accept = headerOf(request, 'accept')
  const binary = accept?.includes(v2Accept) || accept?.includes(v2Type)
  const type = binary ? v2Type : negotiate(accept, offers.plain, jsonOnly).mediaType
  const hash = binary ? `${json.hash}-P` : json.hash
  const headers = {
    'Content-Type': type,
    Vary: 'Accept-Encoding, Accept',
    'Cache-Control': 'no-cache, private',
  }
  return etagResponse(request, hash, headers, binary ? protobuf : json.bytes)
}
