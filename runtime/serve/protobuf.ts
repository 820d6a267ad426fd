/** What this server says in protobuf: under which media types, and objects and lists in that form. */
import { setImmediate } from 'node:timers/promises'
import {
  createProtobuf,
  envelopeOf,
  fieldHead,
  type ObjectType,
  type Protobuf,
  parse,
} from '../codec/codec.ts'
import { invariant } from '../kernel/invariant.ts'
import { isObject, type JsonObject } from '../kernel/json.ts'
import { apiVersionOf } from '../kernel/object.ts'
import type { Platform } from '../kernel/platform.ts'
import { StatusError } from '../kernel/status.ts'
import type { Tree } from '../kernel/tree.ts'
import type { Item } from '../registry/registry.ts'
import type { Pieces } from './exchange.ts'
import type { Form } from './represent.ts'

/** The protobuf form of a tree's kinds. The tables are loaded on the first request that needs them. */
export interface Binary {
  /** The media types by which it is asked for, the platform's own first. */
  readonly types: readonly string[]
  readonly codec: () => Promise<Protobuf>
}

/** The media types of the protobuf form, the platform's own name first, then the public one. */
function typesOf({ vendor, publicVendor = vendor }: Platform): readonly string[] {
  return [...new Set([vendor, publicVendor])].map((name) => `application/vnd.${name}.protobuf`)
}

/** Undefined for a tree none of whose kinds has numbers. */
export function binaryOf({ platform, protobuf }: Tree): Binary | undefined {
  if (protobuf === undefined) return undefined
  let codec: Promise<Protobuf> | undefined
  return {
    types: typesOf(platform),
    codec() {
      codec ??= protobuf().then(createProtobuf)
      return codec
    },
  }
}

/** An object that is no stored one (a Status, a discovery document) in its envelope. */
export async function binaryDocument(
  { codec }: Binary,
  value: object & Partial<ObjectType>,
): Promise<Uint8Array> {
  const { kind = '', apiVersion = 'v1' } = value
  return (await codec()).encodeObject({ kind, apiVersion }, `meta/v1.${kind}`, value)
}

/** One object in its envelope, whole or as its metadata. */
export async function binaryItem(item: Item, form: Form): Promise<Uint8Array> {
  return objectBytes(await codecOf(form), item, form)
}

/** The same, with the codec at hand. */
export function objectBytes(codec: Protobuf, item: Item, form: Form): Uint8Array {
  const value = parsed(item)
  if (form.media.as !== undefined) {
    const type = { kind: 'PartialObjectMetadata', apiVersion: metaVersion(form) }
    return codec.encodeObject(type, 'meta/v1.PartialObjectMetadata', value)
  }
  const type = typeOf(value.kind, value.apiVersion)
  return codec.encodeObject(type, messageOf(codec, type), value)
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
  const codec = await codecOf(form)
  const partial = form.media.as !== undefined
  const message = partial ? 'meta/v1.PartialObjectMetadata' : (form.kind.proto as string)
  const parts = [...field(1, codec.encodeMessage('meta/v1.ListMeta', metadata))]
  let done = 0
  for (const item of items) {
    parts.push(...field(2, codec.encodeMessage(message, parsed(item))))
    done += item.bytes.length
    if (done < sliceBytes) continue
    done = 0
    await setImmediate()
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const { head, tail } = envelopeOf(listType(form, partial), length)
  return {
    length: head.length + length + tail.length,
    pieces: () => grouped([head, ...parts, tail]),
  }
}

function listType(form: Form, partial: boolean): ObjectType {
  return partial
    ? { kind: 'PartialObjectMetadataList', apiVersion: metaVersion(form) }
    : { kind: form.kind.listKind, apiVersion: apiVersionOf(form.kind) }
}

function field(number: number, message: Uint8Array): readonly [Uint8Array, Uint8Array] {
  return [fieldHead(number, message.length), message]
}

/** Few large pieces instead of many small ones. */
function* grouped(parts: readonly Uint8Array[]): Iterable<Uint8Array> {
  let first = 0
  let length = 0
  for (let index = 0; index < parts.length; index++) {
    length += (parts[index] as Uint8Array).length
    if (length < sliceBytes && index < parts.length - 1) continue
    yield Buffer.concat(parts.slice(first, index + 1), length)
    first = index + 1
    length = 0
  }
}

function codecOf({ binary }: Form): Promise<Protobuf> {
  if (binary === undefined) throw noForm('this')
  return binary.codec()
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
