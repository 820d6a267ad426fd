/** What this server says in protobuf: under which media types, and objects and lists in that form. */
import { loadProtobuf, type ObjectType, type Protobuf, parse } from '../codec/codec.ts'
import { invariant } from '../kernel/invariant.ts'
import { isObject, type JsonObject } from '../kernel/json.ts'
import { apiVersionOf } from '../kernel/object.ts'
import type { Platform } from '../kernel/platform.ts'
import { StatusError } from '../kernel/status.ts'
import type { Tree } from '../kernel/tree.ts'
import { othersTurn } from '../kernel/turns.ts'
import type { Item } from '../registry/registry.ts'
import type { Pieces } from './exchange.ts'
import { joined } from './protobuf-list.ts'
import { Recent } from './recent.ts'
import type { Form } from './represent.ts'

/** The protobuf form of a tree's kinds. The tables are loaded on the first request that needs them. */
export interface Binary {
  /** The media types by which it is asked for, the platform's own first. */
  readonly types: readonly string[]
  readonly open: () => Promise<Speaker>
}

/** A loaded codec, with the messages of stored objects that were asked for lately. */
export interface Speaker {
  readonly codec: Protobuf
  readonly stored: (item: Item) => StoredMessage
}

interface StoredMessage {
  readonly type: ObjectType
  readonly bytes: Uint8Array
}

/** A message takes longer to make than to send; lists and first events of watches ask for the same ones again. */
const keptBytes = 32 * 1024 * 1024

function speakerOf(codec: Protobuf): Speaker {
  const recent = new Recent(
    keptBytes,
    ({ bytes }: StoredMessage) => bytes.length,
    (item: Item) => {
      const value = parsed(item)
      const type = typeOf(value.kind, value.apiVersion)
      return { type, bytes: codec.encodeMessage(messageOf(codec, type), value) }
    },
  )
  return { codec, stored: (item) => recent.of(item) }
}

/** The media types of the protobuf form, the platform's own name first, then the public one. */
function typesOf({ vendor, publicVendor = vendor }: Platform): readonly string[] {
  return [...new Set([vendor, publicVendor])].map((name) => `application/vnd.${name}.protobuf`)
}

/** Undefined for a tree none of whose kinds has numbers. */
export function binaryOf({ platform, protobuf }: Tree): Binary | undefined {
  if (protobuf === undefined) return undefined
  let speaker: Promise<Speaker> | undefined
  return {
    types: typesOf(platform),
    open() {
      speaker ??= protobuf().then(loadProtobuf).then(speakerOf)
      return speaker
    },
  }
}

/** An object that is no stored one (a Status, a discovery document) in its envelope. */
export async function binaryDocument(
  { open }: Binary,
  value: object & Partial<ObjectType>,
): Promise<Uint8Array> {
  const { kind = '', apiVersion = 'v1' } = value
  return (await open()).codec.encodeObject({ kind, apiVersion }, `meta/v1.${kind}`, value)
}

/** One object in its envelope, whole or as its metadata. */
export async function binaryItem(item: Item, form: Form): Promise<Uint8Array> {
  return objectBytes(await opened(form), item, form)
}

/** The same, with the codec at hand. */
export function objectBytes({ codec, stored }: Speaker, item: Item, form: Form): Uint8Array {
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
export async function binaryList(
  items: readonly Item[],
  metadata: object,
  form: Form,
): Promise<Pieces> {
  const { codec, stored } = await opened(form)
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
    await othersTurn()
  }
  const list = codec.encodeMessage('meta/v1.ListMeta', metadata)
  return joined(codec, listType(form, partial), list, messages)
}

function listType(form: Form, partial: boolean): ObjectType {
  return partial
    ? { kind: 'PartialObjectMetadataList', apiVersion: metaVersion(form) }
    : { kind: form.kind.listKind, apiVersion: apiVersionOf(form.kind) }
}

function opened({ binary }: Form): Promise<Speaker> {
  invariant(binary !== undefined, 'protobuf is offered only where there is such a form')
  return binary.open()
}

function messageOf(codec: Protobuf, type: ObjectType): string {
  const message = codec.messageOf(type)
  if (message === undefined) throw noForm(`${type.apiVersion} ${type.kind}`)
  return message
}

function noForm(what: string): StatusError {
  return new StatusError('NotAcceptable', `${what} has no protobuf form`)
}

/** Not the memoised object: that would keep every object that was ever read in memory twice. */
function parsed({ bytes }: Item): JsonObject {
  const value = parse(bytes)
  return isObject(value) ? value : {}
}

function typeOf(kind: unknown, apiVersion: unknown): ObjectType {
  return { kind: String(kind), apiVersion: String(apiVersion) }
}

function metaVersion({ media }: Form): string {
  invariant(media.apiVersion !== undefined, 'a conversion has the version it was asked for in')
  return media.apiVersion
}
