/**
 * The schema document of version 2, for clients that know no other: command-line tools before 1.29 request its protobuf
 * form before they validate or explain, generators of client code its JSON form. It is made of the version 3
 * documents, one after the other with other work in between, and kept.
 */

import { yieldToEventLoop } from '../../../kernel/async/slices.ts'
import type { Scheme } from '../../../kernel/descriptors/scheme.ts'
import { documentHead, securitySchemes } from '../../../kernel/openapi/document.ts'
import { loadProtobuf, type ProtobufCodec } from '../../../serializer/serializer.ts'
import { type KeptBytes, keepBytes } from './kept-bytes.ts'
import { type OpenApi, type SwaggerPart, swaggerPart } from './v2-from-v3.ts'
import { swaggerMessages } from './v2-messages.ts'
import { binaryPart, binaryRest } from './v2-protobuf.ts'
import { SharedParameters } from './v2-shared-parameters.ts'

/** A Swagger 2.0 document in both forms. */
export interface Swagger {
  /** The text with a final newline. */
  readonly json: Uint8Array
  readonly binary: Uint8Array
}

/** A version 3 document: its text with a final newline, and what tells it from others. */
interface Source {
  readonly hash: string
  /** Present for documents of other servers; then it stands in place of `hash`. */
  readonly ownHash?: string
  readonly bytes: KeptBytes
}

/** What became of one version 3 document. */
interface ConvertedDocument {
  /** The schemas that it was the first to have. */
  readonly names: readonly string[]
  readonly parameters: SharedParameters['all']
  /** The members of `paths` and `definitions` as JSON text and in protobuf, each empty if there are none. */
  readonly paths: KeptBytes
  readonly definitions: KeptBytes
  readonly binaryPaths: KeptBytes
  readonly binaryDefinitions: KeptBytes
}

/**
 * Converted documents by the hash of their version 3 document, so that one more custom resource does not cost as much as all
 * kinds.
 */
export type SwaggerCache = Map<string, ConvertedDocument>

/**
 * The Swagger 2.0 document of a scheme. Only documents that `cache` does not have are converted; afterwards it holds those of
 * this scheme alone.
 */
export async function swaggerOf(
  { platform }: Pick<Scheme, 'platform'>,
  documents: Iterable<Source>,
  memory: SwaggerCache = new Map(),
): Promise<Swagger> {
  const head = { swagger: '2.0', info: documentHead(platform).info }
  const codec = await loadProtobuf(swaggerMessages)
  const made = new Map<string, ConvertedDocument>()
  const seen = new Set<string>()
  for (const { hash: shown, ownHash, bytes } of documents) {
    const hash = ownHash ?? shown
    const known = memory.get(hash)
    const one =
      known ??
      (await (ownHash === undefined ? convertDocument : tryToConvert)(await bytes(), seen, codec))
    if (one === undefined) continue
    for (const name of one.names) seen.add(name)
    made.set(hash, one)
  }
  memory.clear()
  for (const [hash, one] of made) memory.set(hash, one)
  const each = [...made.values()]
  const start = JSON.stringify(head).slice(0, -1)
  const parameters = Object.fromEntries(each.flatMap((one) => [...one.parameters]))
  const rest = JSON.stringify({ parameters, securityDefinitions: securitySchemes, security })
  const json = Buffer.concat([
    Buffer.from(`${start},"paths":{`),
    ...joined(await allOf(each, 'paths')),
    Buffer.from('},"definitions":{'),
    ...joined(await allOf(each, 'definitions')),
    Buffer.from(`},${rest.slice(1)}\n`),
  ])
  const all = [
    codec.encodeMessage('v2.Document', head),
    codec.encodeField(8, Buffer.concat(await allOf(each, 'binaryPaths'))),
    codec.encodeField(9, Buffer.concat(await allOf(each, 'binaryDefinitions'))),
    codec.encodeMessage('v2.Document', binaryRest(parameters, securitySchemes)),
  ]
  return { json, binary: Buffer.concat(all) }
}

/** What another server sent may be no document of version 3: undefined then. */
async function tryToConvert(
  bytes: Uint8Array,
  seen: ReadonlySet<string>,
  codec: ProtobufCodec,
): Promise<ConvertedDocument | undefined> {
  try {
    return await convertDocument(bytes, new Set(seen), codec)
  } catch {
    return undefined
  }
}

function allOf(
  documents: readonly ConvertedDocument[],
  part: 'paths' | 'definitions' | 'binaryPaths' | 'binaryDefinitions',
): Promise<Uint8Array[]> {
  return Promise.all(documents.map((one) => one[part]()))
}

/** Members of an object, with a comma between those that are there. */
function joined(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const filled = parts.filter(({ byteLength }) => byteLength > 0)
  return filled.flatMap((part, index) => (index === 0 ? [part] : [comma, part]))
}

const comma = Buffer.from(',')

/** Every operation is for clients that say who they are. */
const security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))

/** Converts one document in slices, with other work in between. */
async function convertDocument(
  bytes: Uint8Array,
  seen: Set<string>,
  codec: ProtobufCodec,
): Promise<ConvertedDocument> {
  const before = new Set(seen)
  const paths: string[] = []
  const definitions: string[] = []
  const binaryPaths: Uint8Array[] = []
  const binaryDefinitions: Uint8Array[] = []
  const shared = new SharedParameters()
  for (const some of slicesOf(parsed(bytes), seen)) {
    const made = swaggerPart(some)
    const items = Object.entries(made.paths).map(([path, item]) => [path, shared.share(item)])
    const part = { ...made, paths: Object.fromEntries(items) as SwaggerPart['paths'] }
    paths.push(...entriesOf(part.paths))
    definitions.push(...entriesOf(part.definitions))
    const values = binaryPart(part)
    binaryPaths.push(codec.encodeMessage('v2.Paths', values.paths))
    binaryDefinitions.push(codec.encodeMessage('v2.Definitions', values.definitions))
    await yieldToEventLoop()
  }
  const names = [...seen].filter((name) => !before.has(name))
  return {
    names,
    parameters: shared.all,
    paths: await keepBytes(Buffer.from(paths.join())),
    definitions: await keepBytes(Buffer.from(definitions.join())),
    binaryPaths: await keepBytes(Buffer.concat(binaryPaths)),
    binaryDefinitions: await keepBytes(Buffer.concat(binaryDefinitions)),
  }
}

function parsed(bytes: Uint8Array): OpenApi {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
}

/** Paths or schemas that are converted at a time: a few milliseconds of work. */
const sliceSize = 20

/** A document in slices, without the schemas that an earlier one had: a schema is the same in all documents. */
function* slicesOf({ paths, components }: OpenApi, seen: Set<string>): Generator<OpenApi> {
  for (const some of sliced(Object.entries(paths))) yield { paths: Object.fromEntries(some) }
  const schemas = Object.entries(components?.schemas ?? {}).filter(([name]) => !seen.has(name))
  for (const [name] of schemas) seen.add(name)
  for (const some of sliced(schemas)) {
    yield { paths: {}, components: { schemas: Object.fromEntries(some) } }
  }
}

function* sliced<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += sliceSize) yield items.slice(at, at + sliceSize)
}

/** The members of an object as JSON text, to be joined with those of other documents. */
function entriesOf(values: Readonly<Record<string, object>>): readonly string[] {
  return Object.entries(values).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  )
}
