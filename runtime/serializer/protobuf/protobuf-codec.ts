import type { ProtobufTables } from '../../kernel/descriptors/protobuf-tables.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { DecodeLimits } from '../format/decode-limits.ts'
import type { ObjectType } from '../format/serializer-contract.ts'
import { decodeJson } from '../json/decode-json.ts'
import { type Envelope, envelopeEnd, openEnvelope, writeHead } from './envelope.ts'
import { readMessage, writeMessage } from './message-codec.ts'
import { MessageDescriptors } from './message-descriptors.ts'
import { nested } from './nested.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** An object whose fields the descriptors know. */
type Values = Readonly<Record<string, unknown>>

/**
 * Objects to protobuf and back, by the tables of a scheme.
 *
 *  1. What it writes is byte for byte what the public encoders write: fields in ascending order, map entries by key, the
 *     zero of every field that is no pointer, no type inside the object.
 *  2. What it reads is what the same object is in JSON, before pruning and defaults: a kind's reader takes it from there.
 *  3. Fields that the tables do not have are skipped.
 *  4. No length is trusted; depth and number of values are bounded. Malformed bytes are a BadRequest that names the field
 *     and the offset; an object that holds too much is a RequestEntityTooLarge.
 */
export interface ProtobufCodec {
  /** The message of a kind, stored or not; undefined for a kind without a protobuf form. */
  messageOf(type: ObjectType): string | undefined
  /** An object in its envelope. */
  encodeObject(type: ObjectType, message: string, value: object): Uint8Array
  /** A message without an envelope. */
  encodeMessage(message: string, value: object): Uint8Array
  /** A length-delimited field: its tag, the length, the bytes. */
  encodeField(number: number, bytes: Uint8Array): Uint8Array
  /** The envelope of an object whose message has `length` bytes. */
  envelopeOf(type: ObjectType, length: number): Envelope
  /** A watch event: its type and the object in its envelope. Its length is the caller's to write. */
  encodeEvent(type: string, object: Uint8Array): Uint8Array
  /** An object in its envelope as JSON. Where the sender left out the type, or a part of it, `expected` holds. */
  decodeObject(bytes: Uint8Array, expected: ObjectType, options?: ProtobufDecodeOptions): JsonObject
  /** A message without an envelope as JSON. */
  decodeMessage(message: string, bytes: Uint8Array): JsonObject
}

/** How an object is read. */
export interface ProtobufDecodeOptions {
  /** Reads the object as this message whatever type its sender names. */
  readonly message?: string | undefined
  readonly limits?: DecodeLimits | undefined
}

/** A codec over generated tables. */
export function createProtobufCodec(tables: ProtobufTables): ProtobufCodec {
  return new TableCodec(tables)
}

/** Tags of length-delimited fields, by number. */
const tags = { first: 0x0a, second: 0x12 } as const

/** One writer serves all calls, so that encoding allocates only what it returns. */
class TableCodec implements ProtobufCodec {
  readonly #tables: ProtobufTables
  readonly #messages: MessageDescriptors
  readonly #out = new WireWriter()

  constructor(tables: ProtobufTables) {
    this.#tables = tables
    this.#messages = new MessageDescriptors(tables)
  }

  messageOf({ apiVersion, kind }: ObjectType): string | undefined {
    const { kinds } = this.#tables
    const key = `${apiVersion}/${kind}`
    return Object.hasOwn(kinds, key) ? kinds[key] : undefined
  }

  encodeObject(type: ObjectType, message: string, value: object): Uint8Array {
    const out = this.#out
    out.raw(envelopeEnd)
    const before = out.size
    this.#write(message, value)
    writeHead(out, type, out.size - before)
    return out.take()
  }

  encodeMessage(message: string, value: object): Uint8Array {
    this.#write(message, value)
    return this.#out.take()
  }

  encodeField(number: number, bytes: Uint8Array): Uint8Array {
    const out = this.#out
    out.raw(bytes)
    out.varint(bytes.length)
    out.varint(number * 8 + 2)
    return out.take()
  }

  envelopeOf(type: ObjectType, length: number): Envelope {
    writeHead(this.#out, type, length)
    return { head: this.#out.take(), tail: envelopeEnd }
  }

  /** Field 1 is the type. Field 2 is a RawExtension, whose field 1 is the object in its envelope. */
  encodeEvent(type: string, object: Uint8Array): Uint8Array {
    const out = this.#out
    nested(out, () => {
      out.raw(object)
      out.varint(object.length)
      out.byte(tags.first)
    })
    out.byte(tags.second)
    out.text(type)
    out.byte(tags.first)
    return out.take()
  }

  decodeObject(
    bytes: Uint8Array,
    expected: ObjectType,
    { message: wanted, limits }: ProtobufDecodeOptions = {},
  ): JsonObject {
    const { raw, contentType, ...sent } = openEnvelope(bytes)
    const type = {
      kind: sent.kind || expected.kind,
      apiVersion: sent.apiVersion || expected.apiVersion,
    }
    if (contentType === 'application/json') return { ...jsonObject(raw, limits), ...type }
    const message = wanted ?? this.messageOf(type)
    if (message === undefined) throw unknownType(type)
    return { ...type, ...this.#read(message, new WireReader(raw, limits)) }
  }

  decodeMessage(message: string, bytes: Uint8Array): JsonObject {
    return this.#read(message, new WireReader(bytes))
  }

  #read(message: string, input: WireReader): JsonObject {
    return readMessage(input, this.#messages.descriptorOf(message), 1, {})
  }

  /** A value that cannot be written must not leave a part of itself in the writer. */
  #write(message: string, value: object): void {
    try {
      writeMessage(this.#out, this.#messages.descriptorOf(message), value as Values)
    } catch (error) {
      this.#out.reset()
      throw error
    }
  }
}

/** An envelope may hold the object as JSON. */
function jsonObject(raw: Uint8Array, limits?: DecodeLimits): JsonObject {
  const { value } = decodeJson(raw, limits)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonObject
  }
  throw new StatusError('BadRequest', 'the object inside the envelope is no JSON object')
}

/** BadRequest, in the message of the public servers. */
function unknownType({ apiVersion, kind }: ObjectType): StatusError {
  return new StatusError(
    'BadRequest',
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
  )
}
