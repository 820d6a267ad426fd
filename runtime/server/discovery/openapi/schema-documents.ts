import type { Clock } from '../../../kernel/async/clock.ts'
import type { Scheme } from '../../../kernel/descriptors/scheme.ts'
import { createJsonSerializer } from '../../../serializer/serializer.ts'
import { type HttpRequest, type HttpResponse, headerOf, textResponse } from '../../http/message.ts'
import type { Query } from '../../http/query.ts'
import { etagResponse, type HashedDocument, hashedDocument } from '../../negotiation/document.ts'
import { negotiate, offers } from '../../negotiation/media-types.ts'
import { routeTable } from '../../request/resource-path.ts'
import { servedGroups } from '../../request/served-groups.ts'
import type { SwaggerCache } from './v2-document.ts'
import { discoveryPathDocument, discoveryPathKeys } from './v3-discovery-paths.ts'

/** The published schema documents, read on the first question and kept. */
export interface SchemaDocuments {
  /** What was made of single documents: a server of another tree need not make it again. */
  readonly cache: SchemaDocumentCache
  /** `/openapi/v3` and what is below it; undefined if there is no such document. */
  v3(request: HttpRequest, key: string, query: Query): Promise<HttpResponse | undefined>
  /** `/openapi/v2`. */
  v2(request: HttpRequest): Promise<HttpResponse>
}

const yearMs = 365 * 24 * 3_600_000
const v2Type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const v2Accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** Documents by their text, in both versions. */
export interface SchemaDocumentCache {
  readonly v3: Map<string, HashedDocument>
  readonly v2: SwaggerCache
}

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
      v2 ??= buildV2(scheme, memory.v2)
      return v2Response(request, await v2)
    },
  }
}

interface V3 {
  readonly index: HashedDocument
  readonly documents: ReadonlyMap<string, HashedDocument>
}

async function loadV3(scheme: Scheme, memory: SchemaDocumentCache['v3']): Promise<V3> {
  const groups = servedGroups(scheme, routeTable(scheme)).map(({ group }) => group)
  const small = discoveryPathKeys(groups).map(
    (key) => [key, discoveryPathDocument(scheme.platform, key)] as const,
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

function indexResponse(request: HttpRequest, { hash, bytes }: HashedDocument): HttpResponse {
  const media = negotiate(headerOf(request, 'accept'), offers.plain, jsonOnly)
  const headers = {
    'Content-Type': media.mediaType,
    'Cache-Control': 'no-cache, private',
    Vary: 'Accept',
  }
  return etagResponse(request, hash, headers, bytes)
}

const jsonOnly = [createJsonSerializer()]

const v3Type = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
const v3Accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'

/** Documents in protobuf, each made when it is first asked for. */
const binaries = new WeakMap<HashedDocument, Promise<Uint8Array>>()

function protobufOf(document: HashedDocument): Promise<Uint8Array> {
  const known = binaries.get(document)
  if (known !== undefined) return known
  const made = import('./v3-protobuf.ts').then(({ openapiBinary }) => openapiBinary(document.json))
  binaries.set(document, made)
  return made
}

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
      ? { 'Cache-Control': 'no-cache, no-store' }
      : {
          'Cache-Control': 'public, immutable',
          Expires: new Date(clock.now() + yearMs).toUTCString(),
        }
  const headers = { 'Content-Type': type, Vary: 'Accept', ...caching }
  const body = binary ? await protobufOf(document) : document.bytes
  return etagResponse(request, binary ? `${hash}-P` : hash, headers, body)
}

interface V2 {
  readonly json: HashedDocument
  readonly protobuf: Uint8Array
}

async function buildV2(scheme: Scheme, memory: SwaggerCache): Promise<V2> {
  const { swaggerOf } = await import('./v2-document.ts')
  const { json, binary } = await swaggerOf(scheme, memory)
  return { json: hashedDocument(json), protobuf: binary }
}

function v2Response(request: HttpRequest, { json, protobuf }: V2): HttpResponse {
  const accept = headerOf(request, 'accept')
  const binary = accept?.includes(v2Accept) || accept?.includes(v2Type)
  const type = binary ? v2Type : negotiate(accept, offers.plain, jsonOnly).mediaType
  const hash = binary ? `${json.hash}-P` : json.hash
  const headers = { 'Content-Type': type, Vary: 'Accept', 'Cache-Control': 'no-cache, private' }
  return etagResponse(request, hash, headers, binary ? protobuf : json.bytes)
}
