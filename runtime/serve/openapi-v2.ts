/**
 * The schema document of version 2, for clients that know no other: command-line tools before 1.29 ask for its protobuf
 * form before they validate or explain, generators of client code for its JSON form. It is made of the version 3
 * documents, one after the other so that nobody waits long meanwhile, and kept.
 */
import { setImmediate } from 'node:timers/promises'
import { loadProtobuf } from '../codec/codec.ts'
import type { Tree } from '../kernel/tree.ts'
import { type OpenApi, swaggerPart } from './swagger.ts'
import { binaryPart } from './swagger-binary.ts'
import { swaggerMessages } from './swagger-messages.ts'

/** The document in both forms. */
export interface Swagger {
  readonly json: string
  readonly binary: Uint8Array
}

export async function swaggerOf({ platform, openapi }: Tree): Promise<Swagger> {
  const head = {
    swagger: '2.0',
    info: { title: platform.brand, version: `v${platform.release}` },
  }
  const paths: string[] = []
  const definitions: string[] = []
  const codec = await loadProtobuf(swaggerMessages)
  const binary: { readonly paths: Uint8Array[]; readonly definitions: Uint8Array[] } = {
    paths: [],
    definitions: [],
  }
  const seen = new Set<string>()
  for (const text of Object.values(await openapi())) {
    for (const some of slicesOf(JSON.parse(text) as OpenApi, seen)) {
      const part = swaggerPart(some)
      paths.push(...entriesOf(part.paths))
      definitions.push(...entriesOf(part.definitions))
      const values = binaryPart(part)
      binary.paths.push(codec.encodeMessage('v2.Paths', values.paths))
      binary.definitions.push(codec.encodeMessage('v2.Definitions', values.definitions))
      await setImmediate()
    }
  }
  const start = JSON.stringify(head).slice(0, -1)
  const json = `${start},"paths":{${paths.join()}},"definitions":{${definitions.join()}}}`
  const all = [
    codec.encodeMessage('v2.Document', head),
    codec.encodeField(8, Buffer.concat(binary.paths)),
    codec.encodeField(9, Buffer.concat(binary.definitions)),
  ]
  return { json, binary: Buffer.concat(all) }
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
