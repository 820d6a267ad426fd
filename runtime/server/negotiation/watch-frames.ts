import type { Clock } from '../../kernel/async/clock.ts'
import type { WatchEvent } from '../../registry/registry.ts'
import {
  type EventEncoder,
  GenerationalCache,
  type Serializer,
} from '../../serializer/serializer.ts'
import { type Frame, frameOf } from '../http/response.ts'
import { type Representation, tableOfItem } from './representation.ts'
import { emptyTable } from './table.ts'

/** Bytes of frames that are kept for further watchers: enough for a burst of events on its way to all of them. */
const keptBytes = 16 * 1024 * 1024

/**
 * Frames events about whole objects, each once for all watchers. Frames are copies of what is stored, so only the latest
 * are kept; the first events of a watch are its own.
 */
export function sharedFrames(encoder: EventEncoder): (event: WatchEvent) => Frame {
  const make = ownFrames(encoder)
  const recent = new GenerationalCache(keptBytes, ({ chunk }: Frame) => chunk.length, make)
  return (event) => (event.initial ? make(event) : recent.get(event))
}

/** Frames each event anew. */
function ownFrames(encoder: EventEncoder): (event: WatchEvent) => Frame {
  return ({ type, item }) => frameOf(encoder.encodeEvent(type, item))
}

/** The functions that frame whole objects for all watches of a server, one a serializer. */
export type SharedFrames = WeakMap<Serializer, (event: WatchEvent) => Frame>

/** What frames the events of one watch: whole objects are framed for all watches at once, tables and metadata for this one. */
export function framesOf(
  shared: SharedFrames,
  form: Representation,
  encoder: EventEncoder,
  clock: Clock,
): (event: WatchEvent) => Frame {
  const { as, serializer } = form.media
  if (as === 'Table') return tableFrames(() => ({ ...form, now: clock.now() }), encoder)
  if (as !== undefined) return ownFrames(encoder)
  const known = shared.get(serializer)
  if (known !== undefined) return known
  const frames = sharedFrames(encoder)
  shared.set(serializer, frames)
  return frames
}

/** Only the first table of a stream carries its columns; a bookmark is a table without rows. */
function tableFrames(
  form: () => Representation,
  encoder: EventEncoder,
): (event: WatchEvent) => Frame {
  let headed = true
  return ({ type, item }) => {
    if (type === 'BOOKMARK') {
      const { resourceVersion } = item.object().metadata
      const table = emptyTable(form().media.apiVersion ?? '', { resourceVersion })
      return frameOf(encoder.encodeDocumentEvent(type, table))
    }
    const table = tableOfItem(item, form(), headed)
    headed = false
    return frameOf(encoder.encodeDocumentEvent(type, table))
  }
}
