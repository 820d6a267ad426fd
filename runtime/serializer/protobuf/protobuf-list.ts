import type { ObjectType, SegmentedBody, StreamedBody } from '../format/serializer-contract.ts'
import type { ProtobufCodec } from './protobuf-codec.ts'

/** Bytes of one segment: large enough to be few, small enough to wait for a slow reader between them. */
const segmentBytes = 256 * 1024

/** Every list has its metadata as field 1 and its items as field 2, length-delimited. */
const itemTag = 0x12

/** A list in its envelope, put together from the messages of its metadata and its items. */
export function joinedList(
  codec: ProtobufCodec,
  type: ObjectType,
  metadata: Uint8Array,
  items: readonly Uint8Array[],
): SegmentedBody {
  const start = codec.encodeField(1, metadata)
  const length = items.reduce((sum, item) => sum + sizeOf(item), start.length)
  const { head, tail } = codec.envelopeOf(type, length)
  return {
    length: head.length + length + tail.length,
    *segments() {
      yield Buffer.concat([head, start])
      yield* itemSegments(items)
      yield tail
    },
  }
}

/** The same of messages that are made while they are sent, and once before: each call of `messages` has to give the same ones. */
export async function streamedList(
  codec: ProtobufCodec,
  type: ObjectType,
  metadata: Uint8Array,
  messages: () => AsyncIterable<readonly Uint8Array[]>,
): Promise<StreamedBody> {
  const start = codec.encodeField(1, metadata)
  let length = start.length
  for await (const some of messages()) for (const one of some) length += sizeOf(one)
  const { head, tail } = codec.envelopeOf(type, length)
  return {
    async *pieces() {
      let left = length - start.length
      yield Buffer.concat([head, start])
      for await (const some of messages()) {
        const bytes = some.reduce((sum, one) => sum + sizeOf(one), 0)
        left -= bytes
        yield itemSegment(some, bytes)
      }
      if (left !== 0) throw new Error('the objects of a list have another length than before')
      yield tail
    },
  }
}

/** Bytes of an item with its tag and length. */
function sizeOf({ length }: Uint8Array): number {
  let size = length + 2
  for (let rest = length; rest >= 0x80; rest >>>= 7) size++
  return size
}

/** The items with their tags and lengths, in segments. */
function* itemSegments(items: readonly Uint8Array[]): Iterable<Uint8Array> {
  let first = 0
  let length = 0
  for (let index = 0; index < items.length; index++) {
    length += sizeOf(items[index] as Uint8Array)
    if (length < segmentBytes && index < items.length - 1) continue
    yield itemSegment(items.slice(first, index + 1), length)
    first = index + 1
    length = 0
  }
}

/** Some items in one buffer, each behind its tag and length. */
function itemSegment(items: readonly Uint8Array[], length: number): Uint8Array {
  const out = Buffer.allocUnsafe(length)
  let at = 0
  for (const item of items) {
    out[at++] = itemTag
    let rest = item.length
    for (; rest >= 0x80; rest >>>= 7) out[at++] = (rest & 0x7f) | 0x80
    out[at++] = rest
    out.set(item, at)
    at += item.length
  }
  return out
}
