/** What this server says in protobuf: under which media types, and objects and lists in that form. */

import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'
import type { Item } from '../../registry/registry.ts'
import {
  loadProtobuf,
  type ObjectType,
  type ProtobufCodec,
  parseTrustedJson,
} from '../../serializer/serializer.ts'
import type { SegmentedBody } from '../http/message.ts'
import { GenerationalCache } from './generational-cache.ts'
import { joinedList } from './protobuf-list.ts'
import type { Representation } from './representation.ts'

/** The protobuf form of a tree's kinds. The tables are loaded on the first request that needs them. */
export interface ProtobufFormat {
  /** The media types by which it is asked for, the platform's own first. */
  readonly types: readonly string[]
  readonly load: () => Promise<LoadedProtobuf>
}

/** A loaded codec, with the messages of stored objects that were asked for lately. */
export interface LoadedProtobuf {
  readonly codec: ProtobufCodec
  readonly encodedItem: (item: Item) => StoredMessage
}

interface StoredMessage {
  readonly type: ObjectType
  readonly bytes: Uint8Array
}

/** A message takes longer to make than to send; lists and first events of watches ask for the same ones again. */
const keptBytes = 32 * 1024 * 1024

function loadedProtobuf(codec: ProtobufCodec): LoadedProtobuf {
  const recent = new GenerationalCache(
    keptBytes,
    ({ bytes }: StoredMessage) => bytes.length,
    (item: Item) => {
      const value = parsed(item)
      const type = typeOf(value.kind, value.apiVersion)
      return { type, bytes: codec.encodeMessage(messageOf(codec, type), value) }
    },
  )
  return { codec, encodedItem: (item) => recent.get(item) }
}

/** The media types of the protobuf form, the platform's own name first, then the public one. */
function typesOf({ vendor, publicVendor = vendor }: Platform): readonly string[] {
  return [...new Set([vendor, publicVendor])].map((name) => `application/vnd.${name}.protobuf`)
}

/** Undefined for a tree none of whose kinds has numbers. */
export function protobufFormat({ platform, protobuf }: Scheme): ProtobufFormat | undefined {
  if (protobuf === undefined) return undefined
  let speaker: Promise<LoadedProtobuf> | undefined
  return {
    types: typesOf(platform),
    load() {
      speaker ??= protobuf().then(loadProtobuf).then(loadedProtobuf)
      return speaker
    },
  }
}

/** An object that is no stored one (a Status, a discovery document) in its envelope. */
export async function protobufDocument(
  { load: open }: ProtobufFormat,
  value: object & Partial<ObjectType>,
): Promise<Uint8Array> {
  const { kind = '', apiVersion = 'v1' } = value
  return (await open()).codec.encodeObject({ kind, apiVersion }, `meta/v1.${kind}`, value)
}

/** One object in its envelope, whole or as its metadata. */
export async function protobufItem(item: Item, form: Representation): Promise<Uint8Array> {
  return objectBytes(await opened(form), item, form)
}

/** The same, with the codec at hand. */
export function objectBytes(
  { codec, encodedItem: stored }: LoadedProtobuf,
  item: Item,
  form: Representation,
): Uint8Array {
  if (form.media.as !== undefined) {
    const type = { kind: 'PartialObjectMetadata', apiVersion: metaVersion(form) }
    return codec.encodeObject(type, 'meta/v1.PartialObjectMetadata', parsed(item))
  }
  const { type, bytes } = stored(item)
  const { head, tail } = codec.envelopeOf(type, bytes.length)
  return Buffer.concat([head, bytes, tail])
}

/** How much stored text is turned into messages before others get their turn. */
const sliceBytes = 256 * 1024

/**
 * A list in its envelope. Its length stands at its start, so all items are turned into messages before the first byte
 * leaves; in slices, so that nobody waits for a long list that somebody else asked for.
 */
export async function protobufList(
  items: readonly Item[],
  metadata: object,
  form: Representation,
): Promise<SegmentedBody> {
  const { codec, encodedItem: stored } = await opened(form)
  const partial = form.media.as !== undefined
  const message = (item: Item): Uint8Array =>
    partial
      ? codec.encodeMessage('meta/v1.PartialObjectMetadata', parsed(item))
      : stored(item).bytes
  const messages: Uint8Array[] = []
  let done = 0
  for (const item of items) {
    messages.push(message(item))
    done += item.bytes.length
    if (done < sliceBytes) continue
    done = 0
    await yieldToEventLoop()
  }
  const list = codec.encodeMessage('meta/v1.ListMeta', metadata)
  return joinedList(codec, listType(form, partial), list, messages)
}

function listType(form: Representation, partial: boolean): ObjectType {
  return partial
    ? { kind: 'PartialObjectMetadataList', apiVersion: metaVersion(form) }
    : { kind: form.kind.listKind, apiVersion: apiVersionOf(form.kind) }
}

function opened({ protobuf: binary }: Representation): Promise<LoadedProtobuf> {
  invariant(binary !== undefined, 'protobuf is offered only where there is such a form')
  return binary.load()
}

function messageOf(codec: ProtobufCodec, type: ObjectType): string {
  const message = codec.messageOf(type)
  if (message === undefined) throw noForm(`${type.apiVersion} ${type.kind}`)
  return message
}

function noForm(what: string): StatusError {
  return new StatusError('NotAcceptable', `${what} has no protobuf form`)
}

/** Not the memoised object: that would keep every object that was ever read in memory twice. */
function parsed({ bytes }: Item): JsonObject {
  const value = parseTrustedJson(bytes)
  return isObject(value) ? value : {}
}

function typeOf(kind: unknown, apiVersion: unknown): ObjectType {
  return { kind: String(kind), apiVersion: String(apiVersion) }
}

function metaVersion({ media }: Representation): string {
  invariant(media.apiVersion !== undefined, 'a conversion has the version it was asked for in')
  return media.apiVersion
}
