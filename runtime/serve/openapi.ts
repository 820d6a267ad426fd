import type { Clock } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import { servedGroups } from './discovery.ts'
import { type Document, documentOf, taggedAnswer } from './document.ts'
import { type Answer, headerOf, type Incoming, textAnswer } from './exchange.ts'
import { contentType, negotiate, offers } from './media.ts'
import { smallDocument, smallKeys } from './openapi-small.ts'
import type { SwaggerMemory } from './openapi-v2.ts'
import { routeTable } from './path.ts'
import type { Query } from './query.ts'

/** The published schema documents, read on the first question and kept. */
export interface SchemaDocuments {
  /** What was made of single documents: a server of another tree need not make it again. */
  readonly memory: Memory
  /** `/openapi/v3` and what is below it; undefined if there is no such document. */
  v3(request: Incoming, key: string, query: Query): Promise<Answer | undefined>
  /** `/openapi/v2`. */
  v2(request: Incoming): Promise<Answer>
}

const yearMs = 365 * 24 * 3_600_000
const v2Type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const v2Accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** Documents by their text, in both versions. */
export interface Memory {
  readonly v3: Map<string, Document>
  readonly v2: SwaggerMemory
}

export function schemaDocuments(
  tree: Tree,
  clock: Clock,
  memory: Memory = { v3: new Map(), v2: new Map() },
): SchemaDocuments {
  let v3: Promise<V3> | undefined
  let v2: Promise<V2> | undefined
  return {
    memory,
    async v3(request, key, query) {
      v3 ??= loadV3(tree, memory.v3)
      const { index, documents } = await v3
      if (key === '') return indexAnswer(request, index)
      const document = documents.get(key)
      return document && documentAnswer(request, key, document, query.text('hash'), clock)
    },
    async v2(request) {
      v2 ??= buildV2(tree, memory.v2)
      return v2Answer(request, await v2)
    },
  }
}

interface V3 {
  readonly index: Document
  readonly documents: ReadonlyMap<string, Document>
}

async function loadV3(tree: Tree, memory: Memory['v3']): Promise<V3> {
  const groups = servedGroups(tree, routeTable(tree)).map(({ group }) => group)
  const small = smallKeys(groups).map((key) => [key, smallDocument(tree.platform, key)] as const)
  const texts = [...Object.entries(await tree.openapi()), ...small]
  const documents = new Map(
    texts.map(([key, text]) => [key, memory.get(text) ?? documentOf(text)] as const),
  )
  memory.clear()
  for (const document of documents.values()) memory.set(document.json, document)
  const paths = [...documents.keys()]
    .sort()
    .map((key) => [key, { serverRelativeURL: url(key, documents) }])
  return { index: documentOf({ paths: Object.fromEntries(paths) }), documents }
}

function url(key: string, documents: ReadonlyMap<string, Document>): string {
  return `/openapi/v3/${key}?hash=${documents.get(key)?.hash}`
}

function indexAnswer(request: Incoming, { hash, bytes }: Document): Answer {
  const media = negotiate(headerOf(request, 'accept'), jsonOnly)
  const headers = {
    'Content-Type': contentType(media),
    'Cache-Control': 'no-cache, private',
    Vary: 'Accept',
  }
  return taggedAnswer(request, hash, headers, bytes)
}

const jsonOnly = { ...offers.plain, formats: ['json'] } as const

const v3Type = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
const v3Accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'

/** Documents in protobuf, each made when it is first asked for. */
const binaries = new WeakMap<Document, Promise<Uint8Array>>()

function binaryOf(document: Document): Promise<Uint8Array> {
  const known = binaries.get(document)
  if (known !== undefined) return known
  const made = import('./openapi-binary.ts').then(({ openapiBinary }) =>
    openapiBinary(document.json),
  )
  binaries.set(document, made)
  return made
}

async function documentAnswer(
  request: Incoming,
  key: string,
  document: Document,
  asked: string | undefined,
  clock: Clock,
): Promise<Answer> {
  const { hash } = document
  if (asked !== undefined && asked !== hash) {
    const Location = `/openapi/v3/${key}?hash=${hash}`
    return textAnswer(301, '', { Location, 'Cache-Control': 'no-cache, no-store' })
  }
  const accept = headerOf(request, 'accept')
  const binary = accept?.includes(v3Accept) || accept?.includes(v3Type)
  const type = binary ? v3Type : contentType(negotiate(accept, jsonOnly))
  const caching =
    asked === undefined
      ? { 'Cache-Control': 'no-cache, no-store' }
      : {
          'Cache-Control': 'public, immutable',
          Expires: new Date(clock.now() + yearMs).toUTCString(),
        }
  const headers = { 'Content-Type': type, Vary: 'Accept', ...caching }
  const body = binary ? await binaryOf(document) : document.bytes
  return taggedAnswer(request, binary ? `${hash}-P` : hash, headers, body)
}

interface V2 {
  readonly json: Document
  readonly protobuf: Uint8Array
}

async function buildV2(tree: Tree, memory: SwaggerMemory): Promise<V2> {
  const { swaggerOf } = await import('./openapi-v2.ts')
  const { json, binary } = await swaggerOf(tree, memory)
  return { json: documentOf(json), protobuf: binary }
}

function v2Answer(request: Incoming, { json, protobuf }: V2): Answer {
  const accept = headerOf(request, 'accept')
  const binary = accept?.includes(v2Accept) || accept?.includes(v2Type)
  const type = binary ? v2Type : contentType(negotiate(accept, jsonOnly))
  const hash = binary ? `${json.hash}-P` : json.hash
  const headers = { 'Content-Type': type, Vary: 'Accept', 'Cache-Control': 'no-cache, private' }
  return taggedAnswer(request, hash, headers, binary ? protobuf : json.bytes)
}
