import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { GenerationalCache } from '../format/generational-cache.ts'
import type {
  EncodedBody,
  EncodeOptions,
  EventEncoder,
  Serializer,
  StoredItem,
  StoredList,
} from '../format/serializer-contract.ts'
import { decodeJson } from './decode-json.ts'
import { escapeHtml } from './encode-json.ts'
import { indentJson } from './indent-json.ts'
import { joinListBody, ListTextCache } from './list-text.ts'
import { partialMetadataJson } from './partial-metadata.ts'
import { withResourceVersion } from './resource-version.ts'
import { streamedList } from './streamed-list.ts'

/** How many bytes of single objects are kept for the next request for the same ones. */
const keptBytes = 8 * 1024 * 1024

/** Longer objects are not kept: copying one costs little beside sending it, and few would be all that is kept. */
const longestKept = keptBytes / 32

/** JSON: stored bytes as they are, behind them a newline. */
export function createJsonSerializer(): Serializer {
  const bodies = new GenerationalCache<StoredItem, Uint8Array>(
    keptBytes,
    ({ length }) => length,
    asBody,
  )
  const lists = new ListTextCache()
  return {
    name: 'json',
    mediaTypes: ['application/json'],
    carriesTables: true,
    streamParameter: '',
    supports: () => true,
    decode: (bytes, { limits }) => decodeJson(bytes, limits),
    encodeDocument,
    encodeItem(item, { partial, pretty }) {
      if (partial !== undefined) return encodeDocument(partialMetadataJson(item, partial), pretty)
      if (pretty) return encodeDocument(textOf(item), pretty)
      return item.bytes.length > longestKept ? asBody(item) : bodies.get(item)
    },
    encodeList(list, metadata, options) {
      return options.partial === undefined
        ? encodeWholeList(list, metadata, options, lists)
        : encodePartialList(list, metadata, options.partial, options.pretty)
    },
    eventEncoder: ({ partial }) => eventEncoder(partial),
  }
}

/** Every response ends with a line break, as those of the public servers do. */
const newline = Buffer.from('\n')

function asBody({ bytes }: StoredItem): Uint8Array {
  return Buffer.concat([bytes, newline])
}

/** Compact, or indented by two spaces; a line break at the end. */
function encodeDocument(json: string, pretty = false): Uint8Array {
  const text = escapeHtml(json)
  return Buffer.from(`${pretty ? indentJson(text) : text}\n`)
}

/** A view of the bytes decoded; nothing is parsed. */
function textOf({ bytes }: StoredItem): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

/** Joins stored bytes. A long list that is indented for people is indented object by object while it is sent. */
async function encodeWholeList(
  list: StoredList,
  metadata: object,
  { kind, pretty }: EncodeOptions,
  texts: ListTextCache,
): Promise<EncodedBody> {
  const head = listHead(kind.listKind, apiVersionOf(kind), metadata)
  const shared = sharedPrefix(kind)
  if (!pretty) return joinListBody(head, list, shared, ']}\n', texts)
  const { parts = () => slicesOf(list) } = list
  const body = list.parts ?? (await joinListBody(head, list, shared, ']}', texts))
  if (body instanceof Uint8Array) return encodeDocument(Buffer.from(body).toString(), pretty)
  return streamedList({ head, parts, text: itemText(shared), none: '[]', pretty })
}

/** The objects of a list that is in memory, in slices: other work runs in between. */
async function* slicesOf(list: StoredList): AsyncIterable<readonly StoredItem[]> {
  if (list.runs !== undefined) {
    for (const run of list.runs) {
      yield run.map(({ value, revision }) => ({ bytes: withResourceVersion(value, revision) }))
      await yieldToEventLoop()
    }
    return
  }
  for (let at = 0; at < list.items.length; at += sliceItems) {
    if (at > 0) await yieldToEventLoop()
    yield list.items.slice(at, at + sliceItems)
  }
}

/** An item as a list has it: without what all items of the list begin with. */
function itemText(shared: string): (item: StoredItem) => string {
  return (item) => {
    const text = textOf(item)
    return shared !== '' && text.startsWith(shared) ? `{${text.slice(shared.length)}` : text
  }
}

/** A list up to its first item: `{"kind":...,"items":[`. */
function listHead(kind: string, apiVersion: string, metadata: object): string {
  const start = JSON.stringify({ kind, apiVersion, metadata })
  return `${start.slice(0, -1)},"items":[`
}

/**
 * What every stored object of a kind begins with, and what the items of a list leave out. Those of a custom resource leave
 * nothing out: the name of its list need not say the name of its kind.
 */
function sharedPrefix(kind: AnyKind): string {
  if (kind.customResource !== undefined) return ''
  return `${JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind) }).slice(0, -1)},`
}

/** Items that are converted before other work runs: a few milliseconds' worth. */
const sliceItems = 500

/** Reads the metadata out of each object's bytes, in slices: the list has any length. Without objects it has null for them. */
async function encodePartialList(
  { items, parts }: StoredList,
  metadata: object,
  apiVersion: string,
  pretty: boolean | undefined,
): Promise<EncodedBody> {
  const head = listHead('PartialObjectMetadataList', apiVersion, metadata)
  if (parts !== undefined) {
    const text = (item: StoredItem): string => escapeHtml(partialMetadataJson(item, apiVersion))
    return streamedList({ head, parts, text, none: 'null', pretty })
  }
  const texts: string[] = []
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % sliceItems === 0) await yieldToEventLoop()
    texts.push(partialMetadataJson(item, apiVersion))
  }
  if (texts.length === 0) return encodeDocument(`${head.slice(0, -1)}null}`, pretty)
  return encodeDocument(`${head}${texts.join()}]}`, pretty)
}

const eventEnd = Buffer.from('}\n')

/** One JSON document a line. */
function eventEncoder(partial: string | undefined): EventEncoder {
  const encodeDocumentEvent = (type: string, json: string): Uint8Array =>
    Buffer.from(`{"type":"${type}","object":${escapeHtml(json)}}\n`)
  return {
    encodeDocumentEvent,
    encodeEvent(type, item) {
      if (partial !== undefined) {
        return encodeDocumentEvent(type, partialMetadataJson(item, partial))
      }
      const head = Buffer.from(`{"type":"${type}","object":`, 'latin1')
      return Buffer.concat([head, item.bytes, eventEnd])
    },
  }
}
