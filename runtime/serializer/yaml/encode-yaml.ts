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
  return runInSlices(documentSteps(Buffer.from(json)))
}

function* documentSteps(json: Buffer): Steps<Uint8Array> {
  const value = parseTrustedJson(json)
  yield Math.ceil(json.length / parsedBytes)
  const writer = new YamlWriter()
  yield* writer.value(value, 0, 'document')
  return writer.take()
}

/** About how many bytes of JSON are parsed in a microsecond. */
const parsedBytes = 100

/** What a list says beside its items. */
interface YamlListHead {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: object
}

/** The type that the items of a list leave out. */
interface SharedType {
  readonly kind?: string
  readonly apiVersion?: string
}

/** A list of items that come as JSON, of which one at a time is parsed. */
export function encodeYamlList(
  head: YamlListHead,
  items: Iterable<Uint8Array>,
  shared: SharedType,
): Awaitable<Uint8Array> {
  return runInSlices(listSteps(head, items, shared))
}

function* listSteps(
  head: YamlListHead,
  items: Iterable<Uint8Array>,
  shared: SharedType,
): Steps<Uint8Array> {
  const writer = new YamlWriter()
  yield* startSteps(writer, head)
  const { chunks, count } = yield* itemSteps(writer, items, shared)
  yield* endSteps(writer, head, count)
  return Buffer.concat([...chunks, writer.take()])
}

/** The same list, each part of it in one piece. */
export async function* yamlListPieces(
  head: YamlListHead,
  parts: AsyncIterable<Iterable<Uint8Array>>,
  shared: SharedType,
): AsyncIterable<Uint8Array> {
  const writer = new YamlWriter()
  await runInSlices(startSteps(writer, head))
  let all = 0
  for await (const items of parts) {
    const { chunks, count } = await runInSlices(itemSteps(writer, items, shared, all))
    all += count
    if (count > 0) yield Buffer.concat(chunks)
  }
  await runInSlices(endSteps(writer, head, all))
  yield writer.take()
}

/** Keys are sorted: `items` stands between the others. */
function* startSteps(writer: YamlWriter, { apiVersion }: YamlListHead): Steps<void> {
  yield* writer.value({ apiVersion }, 0, 'document')
  writer.text('items:')
}

function* endSteps(
  writer: YamlWriter,
  { kind, metadata }: YamlListHead,
  count: number,
): Steps<void> {
  if (count === 0) writer.text(' []\n')
  yield* writer.value({ kind, metadata: metadata as Json }, 0, 'document')
}

/** Items behind `before` others. An item leaves out the type that all items share. */
function* itemSteps(
  writer: YamlWriter,
  items: Iterable<Uint8Array>,
  shared: SharedType,
  before = 0,
): Steps<{ readonly chunks: readonly Uint8Array[]; readonly count: number }> {
  const chunks: Uint8Array[] = []
  for (const bytes of items) {
    writer.text(before + chunks.length === 0 ? '\n- ' : '- ')
    yield* writer.value(withoutType(parseTrustedJson(bytes), shared), 2, 'list')
    chunks.push(writer.take())
    yield Math.ceil(bytes.length / parsedBytes)
  }
  return { chunks, count: chunks.length }
}

function withoutType(item: Json, { kind, apiVersion }: SharedType): Json {
  if (!isObject(item) || item.kind !== kind || item.apiVersion !== apiVersion) return item
  const { kind: _, apiVersion: __, ...rest } = item
  return rest
}
