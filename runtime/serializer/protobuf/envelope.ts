/**
 * The envelope around every object: the bytes `k8s\0`, then a message `Unknown` with apiVersion and kind (the message of
 * the object has neither), the bytes of the object, and how those are encoded.
 */
import type { ObjectType } from '../format/serializer-contract.ts'
import { MalformedProtobuf, WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** What an envelope holds. `apiVersion` and `kind` are empty where the sender left them out. */
export interface Enveloped extends ObjectType {
  readonly raw: Uint8Array
  /** The media type of the bytes; empty means protobuf. */
  readonly contentType: string
}

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00])

/** What stands before and behind the bytes of an object. */
export interface Envelope {
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

/** The end of every envelope: contentEncoding and contentType, two empty strings that the public encoders write, too. */
export const envelopeEnd: Uint8Array = Buffer.from([0x1a, 0x00, 0x22, 0x00])

const notProtobuf =
  'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'

/** Writes the head of the envelope of an object of `length` bytes. The writer goes backwards: the last call stands first. */
export function writeHead(out: WireWriter, { apiVersion, kind }: ObjectType, length: number): void {
  out.varint(length)
  out.byte(0x12)
  const before = out.size
  out.text(kind)
  out.byte(0x12)
  out.text(apiVersion)
  out.byte(0x0a)
  out.varint(out.size - before)
  out.byte(0x0a)
  out.raw(magic)
}

/**
 * Reads an envelope. Unknown fields are skipped.
 *
 * @throws MalformedProtobuf if the bytes are no envelope, or the object in it is compressed
 */
export function openEnvelope(bytes: Uint8Array): Enveloped {
  const input = new WireReader(bytes)
  if (!magic.equals(input.bytes.subarray(0, 4))) {
    throw new MalformedProtobuf(notProtobuf, 0)
  }
  input.at = 4
  let [encoding, contentType] = ['', '']
  let type: ObjectType = { apiVersion: '', kind: '' }
  let raw = new Uint8Array(0) as Uint8Array
  while (input.at < input.end) {
    const tag = input.tag()
    if (tag === 0x0a) type = readType(input)
    else if (tag === 0x12) raw = input.slice()
    else if (tag === 0x1a) encoding = input.text()
    else if (tag === 0x22) contentType = input.text()
    else input.skip(tag)
  }
  if (encoding !== '') input.fail(`the encoding ${JSON.stringify(encoding)} is not known`)
  return { ...type, raw, contentType }
}

function readType(input: WireReader): ObjectType {
  const { end: outer } = input
  input.end = input.limit()
  let [apiVersion, kind] = ['', '']
  while (input.at < input.end) {
    const tag = input.tag()
    if (tag === 0x0a) apiVersion = input.text()
    else if (tag === 0x12) kind = input.text()
    else input.skip(tag)
  }
  input.end = outer
  return { apiVersion, kind }
}
