import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { runInSlices, type Steps } from '../../kernel/async/slices.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { parseTrustedJson } from '../json/encode-json.ts'
import { YamlWriter } from './yaml-writer.ts'

/**
 * A compact JSON text as block YAML: keys sorted, two spaces, lists not indented, texts quoted wherever YAML 1.1 would read
 * something else. A long text is written in slices, other work in between.
 */
export function encodeYaml(json: Uint8Array | string): Awaitable<Uint8Array> {
  return runInSlices(documentSteps(parseTrustedJson(Buffer.from(json))))
}

function* documentSteps(value: Json): Steps<Uint8Array> {
  const writer = new YamlWriter()
  yield* writer.value(value, 0, 'document')
  return writer.take()
}

/** About how many bytes of JSON are parsed in a microsecond. */
const parsedBytes = 100

/** A list of items that come as JSON, of which one at a time is parsed. `head` holds its kind, apiVersion and metadata. */
export function encodeYamlList(
  head: { readonly kind: string; readonly apiVersion: string; readonly metadata: object },
  items: Iterable<Uint8Array>,
  shared: { readonly kind?: string; readonly apiVersion?: string },
): Awaitable<Uint8Array> {
  return runInSlices(listSteps(head, items, shared))
}

/** Keys are sorted: `items` stands between the others. An item leaves out the type that all items share. */
function* listSteps(
  { apiVersion, kind, metadata }: Parameters<typeof encodeYamlList>[0],
  items: Parameters<typeof encodeYamlList>[1],
  shared: Parameters<typeof encodeYamlList>[2],
): Steps<Uint8Array> {
  const writer = new YamlWriter()
  const chunks: Uint8Array[] = []
  yield* writer.value({ apiVersion }, 0, 'document')
  writer.text('items:')
  let count = 0
  for (const bytes of items) {
    writer.text(count++ === 0 ? '\n- ' : '- ')
    yield* writer.value(withoutType(parseTrustedJson(bytes), shared), 2, 'list')
    chunks.push(writer.take())
    yield Math.ceil(bytes.length / parsedBytes)
  }
  if (count === 0) writer.text(' []\n')
  yield* writer.value({ kind, metadata: metadata as Json }, 0, 'document')
  chunks.push(writer.take())
  return Buffer.concat(chunks)
}

function withoutType(item: Json, { kind, apiVersion }: Parameters<typeof encodeYamlList>[2]): Json {
  if (!isObject(item) || item.kind !== kind || item.apiVersion !== apiVersion) return item
  const { kind: _, apiVersion: __, ...rest } = item
  return rest
}
