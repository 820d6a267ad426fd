import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'
import { GenerationalCache } from '../format/generational-cache.ts'
import type {
  EncodedBody,
  EncodeOptions,
  EventEncoder,
  ObjectType,
  Serializer,
  StoredItem,
  StoredList,
} from '../format/serializer-contract.ts'
import { parseTrustedJson } from '../json/encode-json.ts'
import { loadProtobuf } from './load-protobuf.ts'
import type { ProtobufCodec } from './protobuf-codec.ts'
import { joinedList, streamedList } from './protobuf-list.ts'

/** A loaded codec, and the messages of recently encoded objects. */
interface LoadedProtobuf {
  /** The codec over the tables of the scheme. */
  readonly codec: ProtobufCodec
  /** The message of a stored object, made once while it is in use. */
  readonly storedMessage: (item: StoredItem) => StoredMessage
  /** The same, made at each call: for objects that are soon forgotten. */
  readonly makeMessage: (item: StoredItem) => StoredMessage
}

interface StoredMessage {
  /** The version in which the object is stored or served. */
  readonly type: ObjectType
  /** The message without its envelope. */
  readonly bytes: Uint8Array
}

/** Protobuf by the tables of a scheme, loaded on the first request that needs them; undefined for a scheme without. */
export function createProtobufSerializer({
  platform,
  protobuf,
}: Pick<Scheme, 'platform' | 'protobuf'>): Serializer | undefined {
  if (protobuf === undefined) return undefined
  let loaded: Promise<LoadedProtobuf> | undefined
  /** The tables and the code are imported once, for all requests. */
  const load = (): Promise<LoadedProtobuf> => {
    loaded ??= protobuf().then(loadProtobuf).then(withMessageCache)
    return loaded
  }
  return {
    name: 'protobuf',
    mediaTypes: mediaTypesOf(platform),
    carriesTables: false,
    streamParameter: ';stream=watch',
    supports: (kind) => kind.proto !== undefined,
    async decode(bytes, { limits, expected, anyVersion }) {
      const { codec } = await load()
      const message = anyVersion === true ? metaMessage(expected.kind) : undefined
      const value = codec.decodeObject(bytes, expected, { message, limits })
      return { value, duplicates: [] }
    },
    encodeDocument: async (json) => encodeDocument((await load()).codec, json),
    encodeItem: async (item, options) => encodeItem(await load(), item, options),
    encodeList: async (list, metadata, options) =>
      encodeList(await load(), list, metadata, options),
    eventEncoder: async (options) => eventEncoder(await load(), options),
  }
}

/** The platform's own name first, then the public one. */
function mediaTypesOf({ vendor, publicVendor = vendor }: Platform): readonly string[] {
  return [...new Set([vendor, publicVendor])].map((name) => `application/vnd.${name}.protobuf`)
}

/** A message takes longer to make than to send; lists and first events of watches ask for the same ones again. */
const keptBytes = 32 * 1024 * 1024

function withMessageCache(codec: ProtobufCodec): LoadedProtobuf {
  const makeMessage = (item: StoredItem): StoredMessage => {
    const value = parsedObject(item)
    const type = { kind: String(value.kind), apiVersion: String(value.apiVersion) }
    return { type, bytes: codec.encodeMessage(messageOf(codec, type), value) }
  }
  const lengthOf = ({ bytes }: StoredMessage): number => bytes.length
  const messages = new GenerationalCache(keptBytes, lengthOf, makeMessage)
  return { codec, storedMessage: (item) => messages.get(item), makeMessage }
}

function messageOf(codec: ProtobufCodec, type: ObjectType): string {
  const message = codec.messageOf(type)
  if (message !== undefined) return message
  throw new StatusError('NotAcceptable', `${type.apiVersion} ${type.kind} has no protobuf form`)
}

/** Parsed anew: the object that the item remembers would keep every object that was ever read in memory twice. */
function parsedObject({ bytes }: StoredItem): JsonObject {
  const value = parseTrustedJson(bytes)
  return isObject(value) ? value : {}
}

/** What is not stored (a Status, a discovery document, metadata) is a kind of the meta group. */
function metaMessage(kind: string): string {
  return `meta/v1.${kind}`
}

/** A Status, a discovery document or another object that is not stored. */
function encodeDocument(codec: ProtobufCodec, json: string): Uint8Array {
  const value = parsedObject({ bytes: Buffer.from(json) })
  const { kind = '', apiVersion = 'v1' } = value
  const type = { kind: String(kind), apiVersion: String(apiVersion) }
  return codec.encodeObject(type, documentMessages.get(type.kind) ?? metaMessage(type.kind), value)
}

/** Documents that are no kinds of the meta group, under whatever name and version of their group they go out. */
const documentMessages: ReadonlyMap<string, string> = new Map([
  ['APIGroupDiscoveryList', 'apidiscovery/v2beta1.APIGroupDiscoveryList'],
])

/** Metadata is encoded anew for each request; the message of a whole object is cached, and its envelope put around it. */
function encodeItem(
  { codec, storedMessage }: LoadedProtobuf,
  item: StoredItem,
  { partial }: EncodeOptions,
): Uint8Array {
  if (partial !== undefined) {
    const type = { kind: 'PartialObjectMetadata', apiVersion: partial }
    return codec.encodeObject(type, metaMessage(type.kind), parsedObject(item))
  }
  const { type, bytes } = storedMessage(item)
  const { head, tail } = codec.envelopeOf(type, bytes.length)
  return Buffer.concat([head, bytes, tail])
}

/** How many bytes of stored JSON are turned into messages before other work runs. */
const sliceBytes = 256 * 1024

/**
 * The length of a list stands at its start, so all items are turned into messages before the first byte leaves: of a list that is read in parts
 * once for the length, and once more while it is sent.
 */
async function encodeList(
  { codec, storedMessage, makeMessage }: LoadedProtobuf,
  { items, parts }: StoredList,
  metadata: object,
  { kind, partial }: EncodeOptions,
): Promise<EncodedBody> {
  const stored = parts === undefined ? storedMessage : makeMessage
  const message = (item: StoredItem): Uint8Array =>
    partial === undefined
      ? stored(item).bytes
      : codec.encodeMessage(metaMessage('PartialObjectMetadata'), parsedObject(item))
  const type =
    partial === undefined
      ? { kind: kind.listKind, apiVersion: apiVersionOf(kind) }
      : { kind: 'PartialObjectMetadataList', apiVersion: partial }
  const head = codec.encodeMessage(metaMessage('ListMeta'), metadata)
  if (parts !== undefined) return streamedList(codec, type, head, () => messagesOf(parts, message))
  const messages: Uint8Array[] = []
  let done = 0
  for (const item of items) {
    messages.push(message(item))
    done += item.bytes.length
    if (done < sliceBytes) continue
    done = 0
    await yieldToEventLoop()
  }
  return joinedList(codec, type, head, messages)
}

/** The messages of a list that is read in parts, some at a time: other work runs in between. */
async function* messagesOf(
  parts: NonNullable<StoredList['parts']>,
  message: (item: StoredItem) => Uint8Array,
): AsyncIterable<readonly Uint8Array[]> {
  for await (const items of parts()) {
    let [messages, done]: [Uint8Array[], number] = [[], 0]
    for (const item of items) {
      messages.push(message(item))
      done += item.bytes.length
      if (done < sliceBytes) continue
      yield messages
      ;[messages, done] = [[], 0]
      await yieldToEventLoop()
    }
    if (messages.length > 0) yield messages
  }
}

/** Four bytes of length, then a message of the event's type and its object. */
function eventEncoder(loaded: LoadedProtobuf, options: EncodeOptions): EventEncoder {
  const { codec } = loaded
  const framed = (type: string, object: Uint8Array): Uint8Array => {
    const event = codec.encodeEvent(type, object)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(event.length)
    return Buffer.concat([length, event])
  }
  return {
    encodeEvent: (type, item) => framed(type, encodeItem(loaded, item, options)),
    encodeDocumentEvent: (type, json) => framed(type, encodeDocument(codec, json)),
  }
}
