/**
 * The schema document of version 2, for clients that know no other: command-line tools before 1.29 ask for its protobuf
 * form before they validate or explain, generators of client code for its JSON form. It is made of the version 3
 * documents, one after the other so that nobody waits long meanwhile, and kept.
 */

import { yieldToEventLoop } from '../../../kernel/async/slices.ts'
import type { Scheme } from '../../../kernel/descriptors/scheme.ts'
import { loadProtobuf, type ProtobufCodec } from '../../../serializer/serializer.ts'
import { type OpenApi, swaggerPart } from './v2-from-v3.ts'
import { swaggerMessages } from './v2-messages.ts'
import { binaryPart } from './v2-protobuf.ts'

/** The document in both forms. */
export interface Swagger {
  readonly json: string
  readonly binary: Uint8Array
}

/** What became of one document, by its text. */
interface ConvertedDocument {
  /** The schemas that it was the first to have. */
  readonly names: readonly string[]
  readonly paths: readonly string[]
  readonly definitions: readonly string[]
  readonly binaryPaths: readonly Uint8Array[]
  readonly binaryDefinitions: readonly Uint8Array[]
}

/** What was made of documents before, so that one more does not cost as much as all of them. */
export type SwaggerCache = Map<string, ConvertedDocument>

export async function swaggerOf(
  { platform, openapi }: Scheme,
  memory: SwaggerCache = new Map(),
): Promise<Swagger> {
  const head = {
    swagger: '2.0',
    info: { title: platform.brand, version: `v${platform.release}` },
  }
  const codec = await loadProtobuf(swaggerMessages)
  const made = new Map<string, ConvertedDocument>()
  const seen = new Set<string>()
  for (const text of Object.values(await openapi())) {
    const one = memory.get(text) ?? (await convertDocument(text, seen, codec))
    for (const name of one.names) seen.add(name)
    made.set(text, one)
  }
  memory.clear()
  for (const [text, one] of made) memory.set(text, one)
  const each = [...made.values()]
  const start = JSON.stringify(head).slice(0, -1)
  const paths = each.flatMap((one) => one.paths)
  const definitions = each.flatMap((one) => one.definitions)
  const json = `${start},"paths":{${paths.join()}},"definitions":{${definitions.join()}}}`
  const all = [
    codec.encodeMessage('v2.Document', head),
    codec.encodeField(8, Buffer.concat(each.flatMap((one) => one.binaryPaths))),
    codec.encodeField(9, Buffer.concat(each.flatMap((one) => one.binaryDefinitions))),
  ]
  return { json, binary: Buffer.concat(all) }
}

async function convertDocument(
  text: string,
  seen: Set<string>,
  codec: ProtobufCodec,
): Promise<ConvertedDocument> {
  const before = new Set(seen)
  const paths: string[] = []
  const definitions: string[] = []
  const binaryPaths: Uint8Array[] = []
  const binaryDefinitions: Uint8Array[] = []
  for (const some of slicesOf(JSON.parse(text) as OpenApi, seen)) {
    const part = swaggerPart(some)
    paths.push(...entriesOf(part.paths))
    definitions.push(...entriesOf(part.definitions))
    const values = binaryPart(part)
    binaryPaths.push(codec.encodeMessage('v2.Paths', values.paths))
    binaryDefinitions.push(codec.encodeMessage('v2.Definitions', values.definitions))
    await yieldToEventLoop()
  }
  const names = [...seen].filter((name) => !before.has(name))
  return { names, paths, definitions, binaryPaths, binaryDefinitions }
}

const sliceSize = 20

/** A document in slices of a few milliseconds, without the schemas that an earlier one had: they are the same in all. */
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

function entriesOf(values: Readonly<Record<string, object>>): readonly string[] {
  return Object.entries(values).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  )
}
