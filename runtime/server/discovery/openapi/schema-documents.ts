import { createHash } from 'node:crypto'
import type { RemoteSchema, RemoteServerMap } from '../../../aggregator/aggregator.ts'
import type { Clock } from '../../../kernel/async/clock.ts'
import { yieldToEventLoop } from '../../../kernel/async/slices.ts'
import type { Scheme } from '../../../kernel/descriptors/scheme.ts'
import type { Query } from '../../http/query.ts'
import { type HttpRequest, headerOf } from '../../http/request.ts'
import { type HttpResponse, textResponse } from '../../http/response.ts'
import {
  etagResponse,
  type HashedDocument,
  hasDocument,
  hashedDocument,
} from '../../negotiation/document.ts'
import { parseAccept } from '../../negotiation/media-types.ts'
import { routeTable } from '../../request/resource-path.ts'
import { servedGroups } from '../../request/served-groups.ts'
import { type KeptBytes, keepBytes } from './kept-bytes.ts'
import type { SwaggerCache } from './v2-document.ts'
import { discoveryPathDocument, discoveryPathKeys } from './v3-discovery-paths.ts'

/** The OpenAPI documents of a scheme. They are large: all are loaded at the first request for one, and kept deflated. */
export interface SchemaDocuments {
  /** Single documents by their hash: what a server of another scheme need not make again. */
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

/** Documents by the hash of their text, in both versions. */
export interface SchemaDocumentCache {
  readonly v3: Map<string, SchemaDocument>
  readonly v2: SwaggerCache
}

/** A document with the hash of its text, which clients compare. */
interface SchemaDocument {
  readonly hash: string
  /** The hash that was made here, where another server says which one clients compare. */
  readonly ownHash?: string
  /** The text with a final newline. */
  readonly bytes: KeptBytes
}

/** The documents of a scheme, with what `cache` has of them. */
export function schemaDocuments(
  scheme: Scheme,
  clock: Clock,
  memory: SchemaDocumentCache = { v3: new Map(), v2: new Map() },
  remote?: RemoteServerMap,
): SchemaDocuments {
  let v3: Promise<V3> | undefined
  let v2: Promise<V2> | undefined
  return {
    cache: memory,
    async v3(request, key, query) {
      v3 ??= loadV3(scheme, memory.v3, remote)
      const { index, documents } = await v3
      if (key === '') return indexResponse(request, index)
      const document = documents.get(key)
      return document && schemaResponse(request, key, document, query.text('hash'), clock)
    },
    async v2(request) {
      v3 ??= loadV3(scheme, memory.v3, remote)
      v2 ??= v3.then(({ documents }) => buildV2(scheme, documents, memory.v2))
      return v2Response(request, await v2)
    },
  }
}

/** The documents of version 3 by key (`apis/apps/v1`), and the index that names them with their hashes. */
interface V3 {
  readonly index: HashedDocument
  readonly documents: ReadonlyMap<string, SchemaDocument>
}

async function loadV3(
  scheme: Scheme,
  memory: SchemaDocumentCache['v3'],
  remote: RemoteServerMap | undefined,
): Promise<V3> {
  const groups = servedGroups(scheme, routeTable(scheme)).map(({ group }) => group)
  const schemas = ((await scheme.discoverySchemas?.()) ?? {}) as Readonly<Record<string, object>>
  const small = discoveryPathKeys(groups).map(
    (key) => [key, discoveryPathDocument(scheme.platform, key, schemas)] as const,
  )
  const texts = [...Object.entries(await scheme.openapi()), ...small]
  const documents = new Map<string, SchemaDocument>()
  for (const [key, text] of texts) {
    if (remote?.has(key)) continue
    documents.set(key, await schemaDocument(text, memory))
    await yieldToEventLoop()
  }
  memory.clear()
  for (const document of documents.values()) memory.set(document.hash, document)
  for (const [key, { schema }] of remote ?? []) {
    if (schema !== undefined) documents.set(key, await remoteDocument(schema))
  }
  const paths = [...documents.keys()]
    .sort()
    .map((key) => [key, { serverRelativeURL: documentUrl(key, documents) }])
  return { index: hashedDocument({ paths: Object.fromEntries(paths) }), documents }
}

/** The document of another server. It is not remembered by the hash that the server says. */
async function remoteDocument({ text, hash }: RemoteSchema): Promise<SchemaDocument> {
  const own = createHash('sha512').update(text).digest('hex').toUpperCase()
  return { hash, ownHash: own, bytes: await keepBytes(Buffer.from(`${text}\n`)) }
}

async function schemaDocument(
  text: string,
  memory: SchemaDocumentCache['v3'],
): Promise<SchemaDocument> {
  const hash = createHash('sha512').update(text).digest('hex').toUpperCase()
  return memory.get(hash) ?? { hash, bytes: await keepBytes(Buffer.from(`${text}\n`)) }
}

function documentUrl(key: string, documents: ReadonlyMap<string, SchemaDocument>): string {
  return `/openapi/v3/${key}?hash=${documents.get(key)?.hash}`
}

/** The index changes with the scheme, so clients ask each time whether theirs is current. */
/** Whatever a client prefers, the index is JSON. */
function indexResponse(request: HttpRequest, { hash, bytes }: HashedDocument): HttpResponse {
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-cache, private',
    Vary: 'Accept',
  }
  return etagResponse(request, hash, headers, bytes)
}

/** The form of a document: JSON or protobuf. `refused` if a client takes neither, `none` if it names no media type at all. */
type DocumentForm = 'json' | 'protobuf' | 'refused' | 'none'

/** The first form of the best entry, whatever it is to be converted to. `binary` are the names of the protobuf form. */
function documentForm(accept: string | undefined, binary: readonly string[]): DocumentForm {
  if (!accept) return 'json'
  const types = parseAccept(accept).map(({ type }) => type)
  const ranges = types.filter((type) => type === '*' || /^[^/]*\/[^/]+$/.test(type))
  for (const type of ranges) {
    if (jsonRanges.has(type)) return 'json'
    if (binary.includes(type)) return 'protobuf'
  }
  return ranges.length === 0 ? 'none' : 'refused'
}

const jsonRanges: ReadonlySet<string> = new Set([
  'application/json',
  'application/*',
  '*/json',
  '*/*',
  '*',
])

/** A document that a client cannot take is refused without a word. */
function unacceptable(vary: string): HttpResponse {
  const headers = { 'Cache-Control': 'no-cache, private', Vary: vary }
  return { status: 406, headers, body: new Uint8Array(0) }
}

/** What public servers send of a version 3 document to a client that names no media type: nothing. */
function nothing(): HttpResponse {
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-cache, private' },
    body: new Uint8Array(0),
  }
}

const v3Type = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
const v3Accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'

/** Documents in protobuf, each made at the first request for it. */
const binaries = new WeakMap<SchemaDocument, Promise<KeptBytes>>()

async function protobufOf(document: SchemaDocument): Promise<Uint8Array> {
  const known = binaries.get(document)
  if (known !== undefined) return (await known)()
  const made = binaryOf(document)
  binaries.set(document, made)
  return (await made)()
}

async function binaryOf({ bytes }: SchemaDocument): Promise<KeptBytes> {
  const { openapiBinary } = await import('./v3-protobuf.ts')
  return keepBytes(await openapiBinary(new TextDecoder().decode(await bytes())))
}

/**
 * A document under its hash may be kept for ever; an outdated hash is redirected to the current one, and without a hash clients
 * ask each time whether theirs is current.
 */
async function schemaResponse(
  request: HttpRequest,
  key: string,
  document: SchemaDocument,
  asked: string | undefined,
  clock: Clock,
): Promise<HttpResponse> {
  const { hash } = document
  const form = documentForm(headerOf(request, 'accept'), [v3Accept, v3Type])
  if (form === 'none') return nothing()
  if (form === 'refused') return unacceptable('Accept')
  if (asked !== undefined && asked !== hash) {
    const Location = `/openapi/v3/${key}?hash=${hash}`
    return textResponse(301, '', { Location, 'Cache-Control': 'no-cache, no-store' })
  }
  const binary = form === 'protobuf'
  const type = binary ? v3Type : 'application/json'
  const caching =
    asked === undefined
      ? { 'Cache-Control': 'no-cache, private' }
      : {
          'Cache-Control': 'public, immutable',
          Expires: new Date(clock.now() + yearMs).toUTCString(),
        }
  const headers = { 'Content-Type': type, Vary: 'Accept', ...caching }
  const tag = binary ? `${hash}-P` : hash
  const read = binary ? () => protobufOf(document) : document.bytes
  return keptResponse(request, tag, headers, read)
}

/** The bytes are read for a client that does not have them. */
async function keptResponse(
  request: HttpRequest,
  tag: string,
  headers: HttpResponse['headers'],
  read: KeptBytes,
): Promise<HttpResponse> {
  const body = hasDocument(request, tag) ? new Uint8Array(0) : await read()
  return etagResponse(request, tag, headers, body)
}

/** Version 2 in both forms. */
interface V2 {
  readonly hash: string
  readonly json: KeptBytes
  readonly protobuf: KeptBytes
}

/** What makes it is loaded with the first request: most clients ask for version 3. */
async function buildV2(
  scheme: Scheme,
  documents: V3['documents'],
  memory: SwaggerCache,
): Promise<V2> {
  const { swaggerOf } = await import('./v2-document.ts')
  const { json, binary } = await swaggerOf(scheme, documents.values(), memory)
  const hash = createHash('sha512').update(json.subarray(0, -1)).digest('hex').toUpperCase()
  return { hash, json: await keepBytes(json), protobuf: await keepBytes(binary) }
}

async function v2Response(
  request: HttpRequest,
  { hash, json, protobuf }: V2,
): Promise<HttpResponse> {
  const form = documentForm(headerOf(request, 'accept'), [v2Accept, v2Type])
  const vary = 'Accept-Encoding, Accept'
  if (form === 'none' || form === 'refused') return unacceptable(vary)
  const binary = form === 'protobuf'
  const type = binary ? v2Type : 'application/json'
  const headers = { 'Content-Type': type, Vary: vary, 'Cache-Control': 'no-cache, private' }
  return keptResponse(request, binary ? `${hash}-P` : hash, headers, binary ? protobuf : json)
}
