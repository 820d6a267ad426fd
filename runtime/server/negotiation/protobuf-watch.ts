import type { WatchEvent } from '../../registry/registry.ts'
import type { ProtobufCodec } from '../../serializer/serializer.ts'
import { sharedFrames } from '../endpoints/watch-stream.ts'
import { type Frame, frameOf } from '../http/message.ts'
import type { NegotiatedMedia } from './media-types.ts'
import { objectBytes, type ProtobufFormat } from './protobuf.ts'
import type { Representation } from './representation.ts'
import type { StatusBody } from './status-body.ts'

/** How the events of one watch are framed: four bytes of length, then a message of the event's type and its object. */
export interface ProtobufFrames {
  readonly frame: (event: WatchEvent) => Frame
  /** The Status that ends a watch. */
  readonly errorFrame: (status: StatusBody) => Frame
}

const shared = new WeakMap<ProtobufFormat, (event: WatchEvent) => Frame>()

/** Frames of whole objects are made once for all watchers, those of metadata for each. */
export async function protobufFrames(
  binary: ProtobufFormat,
  form: Representation,
): Promise<ProtobufFrames> {
  const speaker = await binary.load()
  const { codec } = speaker
  const make = ({ type, item }: WatchEvent): Frame =>
    frameFor(codec, type, objectBytes(speaker, item, form))
  return {
    frame: form.media.as === undefined ? sharedBy(binary, make) : make,
    errorFrame(status) {
      const type = { kind: status.kind, apiVersion: status.apiVersion }
      return frameFor(codec, 'ERROR', codec.encodeObject(type, 'meta/v1.Status', status))
    },
  }
}

function sharedBy(
  binary: ProtobufFormat,
  make: (event: WatchEvent) => Frame,
): (event: WatchEvent) => Frame {
  let frame = shared.get(binary)
  if (frame === undefined) {
    frame = sharedFrames(make)
    shared.set(binary, frame)
  }
  return frame
}

function frameFor(codec: ProtobufCodec, type: string, object: Uint8Array): Frame {
  const event = codec.encodeEvent(type, object)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(event.length)
  return frameOf(Buffer.concat([length, event]))
}

/** The content type of a watch names its framing. */
export function streamType(media: NegotiatedMedia, contentType: string): string {
  return media.format === 'protobuf' ? `${contentType};stream=watch` : contentType
}
