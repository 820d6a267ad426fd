/** Bodies and answers in Protobuf as the values that they stand for, so that they are made and compared like JSON. */
import { isObject, type JsonObject } from '../../runtime/kernel/values/json.ts'
import type { ProtobufCodec } from '../../runtime/serializer/serializer.ts'

/** The media type that both servers know. */
export const protobufType = 'application/vnd.kubernetes.protobuf'

/** An object in its envelope. @throws an Error for a kind without a Protobuf form. */
export function protobufBody(codec: ProtobufCodec, value: JsonObject): Uint8Array {
  const type = { kind: String(value.kind), apiVersion: String(value.apiVersion) }
  const message = codec.messageOf(type)
  if (message === undefined) throw new Error(`${type.apiVersion} ${type.kind} has no Protobuf form`)
  return codec.encodeObject(type, message, value)
}

/** An answer as JSON text; events of a watch are lines. What is not written as our own codec writes it is marked. */
export function protobufText(codec: ProtobufCodec, bytes: Buffer, streamed: boolean): string {
  const value = (object: Buffer): string =>
    JSON.stringify(objectOf(codec, object), (_, one) =>
      typeof one === 'bigint' ? String(one) : one,
    )
  if (!streamed) return bytes.length === 0 ? '' : value(bytes)
  return framesOf(bytes)
    .map((frame) => {
      const [type = Buffer.alloc(0), raw = Buffer.alloc(0)] = [1, 2].map((one) =>
        fieldOf(frame, one),
      )
      return `{"type":"${type}","object":${value(fieldOf(raw, 1) ?? Buffer.alloc(0))}}`
    })
    .join('\n')
}

/** Each event stands behind its length in four bytes. */
function framesOf(bytes: Buffer): readonly Buffer[] {
  const frames: Buffer[] = []
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    frames.push(bytes.subarray(at + 4, end))
    at = end
  }
  return frames
}

/** The object of an envelope: its prefix, then its type in field 1 and its message in field 2. */
function objectOf(codec: ProtobufCodec, bytes: Buffer): JsonObject {
  const envelope = bytes.subarray(4)
  const meta = fieldOf(envelope, 1) ?? Buffer.alloc(0)
  const [apiVersion, kind] = [String(fieldOf(meta, 1) ?? ''), String(fieldOf(meta, 2) ?? '')]
  const raw = fieldOf(envelope, 2) ?? Buffer.alloc(0)
  const type = { kind, apiVersion }
  const single = codec.messageOf(type)
  if (single !== undefined) return { ...type, ...messageOf(codec, single, raw) }
  const item = kind.endsWith('List') ? itemMessage(codec, type) : undefined
  if (item === undefined) return { ...type, ...messageOf(codec, `meta/v1.${kind}`, raw) }
  const fields = fieldsOf(raw)
  const metadata = fields.find(({ number }) => number === 1)?.bytes ?? Buffer.alloc(0)
  const items = fields.filter(({ number }) => number === 2)
  return {
    ...type,
    metadata: messageOf(codec, 'meta/v1.ListMeta', metadata),
    items: items.map(({ bytes }) => messageOf(codec, item, bytes)),
  }
}

/** The message of a list's items; undefined for what only ends like a list. */
function itemMessage(
  codec: ProtobufCodec,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): string | undefined {
  if (kind === 'PartialObjectMetadataList') return 'meta/v1.PartialObjectMetadata'
  return codec.messageOf({ apiVersion, kind: kind.slice(0, -'List'.length) })
}

function messageOf(codec: ProtobufCodec, message: string, bytes: Buffer): JsonObject {
  const value = codec.decodeMessage(message, bytes)
  const again = codec.encodeMessage(message, isObject(value) ? value : {})
  return bytes.equals(again) ? value : { ...value, '(bytes)': bytes.toString('hex') }
}

/** A length-delimited field of a message. */
interface Field {
  readonly number: number
  readonly bytes: Buffer
}

function fieldOf(message: Buffer, number: number): Buffer | undefined {
  return fieldsOf(message).find((field) => field.number === number)?.bytes
}

/** The fields of a message that has none of another wire type. */
function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  while (at < message.length) {
    const tag = varint()
    const length = varint()
    fields.push({ number: tag >>> 3, bytes: message.subarray(at, at + length) })
    at += length
  }
  return fields
}
