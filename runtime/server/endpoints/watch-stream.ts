import type { Clock } from '../../kernel/async/clock.ts'
import type { WatchEvent } from '../../registry/registry.ts'
import {
  type EventEncoder,
  GenerationalCache,
  type Serializer,
} from '../../serializer/serializer.ts'
import { type BodyStream, type Frame, frameOf, type Sink } from '../http/message.ts'
import { type Representation, tableOfItem } from '../negotiation/representation.ts'
import { emptyTable } from '../negotiation/table.ts'

export interface WatchStreamOptions {
  /** Ends the stream; aborted by it as well, when it ends for any other reason. */
  readonly stop: AbortController
  readonly clock: Clock
  /** How long a receiver may take nothing at all before its watch is given up. */
  readonly stalledMs: number
  /** The stream ends by itself after so long. */
  readonly lifeMs: number
  readonly frame: (event: WatchEvent) => Frame
  /** The last event of a watch that fails. */
  readonly failure: (error: unknown) => Frame
}

/**
 * Writes events until the client goes, the time is over or the server stops. A receiver that is
 * behind is waited for, so that what it has not taken stays in the watch cache, under the cache's bound. A failure
 * arrives as an event of type ERROR, the last one.
 */
export function watchStream(
  events: AsyncIterable<readonly WatchEvent[]>,
  options: WatchStreamOptions,
): BodyStream {
  const { stop, clock, lifeMs, stalledMs, frame, failure } = options
  return async (sink) => {
    const cancel = clock.after(lifeMs, () => stop.abort())
    sink.onClose(() => stop.abort())
    try {
      for await (const batch of events) {
        const { next, ready } = writeSome(sink, batch, 0, frame)
        if (ready && next === batch.length) continue
        if (!ready && !(await caughtUp(sink, clock, stalledMs))) return
        if (!(await writeRest(sink, batch, next, options))) return
      }
    } catch (error) {
      sink.write(failure(error))
    } finally {
      cancel()
      stop.abort()
    }
  }
}

/** Writes while the receiver takes it; false if it is to be given up. Never holds more of a batch than it is ready for. */
async function writeRest(
  sink: Sink,
  batch: readonly WatchEvent[],
  from: number,
  { frame, clock, stalledMs, stop: { signal } }: WatchStreamOptions,
): Promise<boolean> {
  for (let at = from; at < batch.length && !signal.aborted; ) {
    const { next, ready } = writeSome(sink, batch, at, frame)
    at = next
    if (!ready && !(await caughtUp(sink, clock, stalledMs))) return false
  }
  return true
}

/** Writes at least one event, then as many as the receiver is ready for, in one packet where there are several. */
function writeSome(
  sink: Sink,
  batch: readonly WatchEvent[],
  from: number,
  frame: (event: WatchEvent) => Frame,
): { readonly next: number; readonly ready: boolean } {
  if (batch.length === from + 1) {
    return { next: from + 1, ready: sink.write(frame(batch[from] as WatchEvent)) }
  }
  let next = from
  let ready = true
  sink.cork(() => {
    while (ready && next < batch.length) ready = sink.write(frame(batch[next++] as WatchEvent))
  })
  return { next, ready }
}

async function caughtUp(sink: Sink, clock: Clock, stalledMs: number): Promise<boolean> {
  let cancel = () => {}
  const stalled = new Promise<boolean>((resolve) => {
    cancel = clock.after(stalledMs, () => resolve(false))
  })
  try {
    return await Promise.race([sink.drained().then(() => true), stalled])
  } finally {
    cancel()
  }
}

/** Frames that are kept for the watchers to come, in bytes: enough for a burst of events on its way to all of them. */
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

function ownFrames(encoder: EventEncoder): (event: WatchEvent) => Frame {
  return ({ type, item }) => frameOf(encoder.encodeEvent(type, item))
}

/** What frames whole objects, by the serializer that encodes them. */
export type SharedFrames = WeakMap<Serializer, (event: WatchEvent) => Frame>

/** How the events of one watch are framed: whole objects for all watches at once, tables and metadata for this one. */
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
