import type { Clock } from '../kernel/time.ts'
import type { WatchEvent } from '../registry/registry.ts'
import { type Frame, frameOf, type Sink, type Stream } from './exchange.ts'
import { convertedItem, type Form } from './represent.ts'
import type { StatusBody } from './status.ts'

/** How long a receiver may take nothing at all before its watch is given up. */
const stalledMs = 60_000

export interface WatchStreamOptions {
  /** Ends the stream; aborted by it as well, when it ends for any other reason. */
  readonly stop: AbortController
  readonly clock: Clock
  /** The stream ends by itself after so long. */
  readonly lifeMs: number
  readonly frame: (event: WatchEvent) => Frame
  /** What a failure looks like to the client. */
  readonly failure: (error: unknown) => StatusBody
  /** Frames a failure, where it is no line of JSON. */
  readonly errorFrame?: (status: StatusBody) => Frame
}

/**
 * Writes events one JSON document a line until the client goes, the time is over or the server stops. A receiver that is
 * behind is waited for, so that what it has not taken stays in the watch cache, under the cache's bound. A failure
 * arrives as an event of type ERROR, the last one.
 */
export function watchStream(
  events: AsyncIterable<readonly WatchEvent[]>,
  options: WatchStreamOptions,
): Stream {
  const { stop, clock, lifeMs, frame, failure, errorFrame = errorLine } = options
  return async (sink) => {
    const cancel = clock.after(lifeMs, () => stop.abort())
    sink.onClose(() => stop.abort())
    try {
      for await (const batch of events) {
        const ready = writeBatch(sink, batch, frame)
        if (!ready && !(await caughtUp(sink, clock))) return
      }
    } catch (error) {
      sink.write(errorFrame(failure(error)))
    } finally {
      cancel()
      stop.abort()
    }
  }
}

function writeBatch(
  sink: Sink,
  batch: readonly WatchEvent[],
  frame: (event: WatchEvent) => Frame,
): boolean {
  let ready = true
  if (batch.length === 1) return sink.write(frame(batch[0] as WatchEvent))
  sink.together(() => {
    for (const event of batch) ready = sink.write(frame(event))
  })
  return ready
}

async function caughtUp(sink: Sink, clock: Clock): Promise<boolean> {
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

const shared = new WeakMap<WatchEvent, Frame>()

/** The frame of an event's stored bytes, made once for all watchers. */
export function plainFrame(event: WatchEvent): Frame {
  const known = shared.get(event)
  if (known !== undefined) return known
  const { bytes } = event.item
  const head = Buffer.from(`{"type":"${event.type}","object":`)
  const frame = frameOf(Buffer.concat([head, bytes, tail]))
  shared.set(event, frame)
  return frame
}

const tail = Buffer.from('}\n')

/** Frames events as tables or metadata. Only the first table of a stream carries its columns. */
export function convertedFrames(form: () => Form): (event: WatchEvent) => Frame {
  let headed = true
  return (event) => {
    const text = convertedEvent(event, form(), headed)
    if (event.type !== 'BOOKMARK') headed = false
    return line(event.type, text)
  }
}

function convertedEvent({ type, item }: WatchEvent, form: Form, headed: boolean): string {
  if (type !== 'BOOKMARK' || form.media.as !== 'Table') return convertedItem(item, form, headed)
  const { resourceVersion } = item.object().metadata
  return JSON.stringify({
    kind: 'Table',
    apiVersion: `${form.metaGroup}/${form.media.version ?? 'v1'}`,
    metadata: { resourceVersion },
    columnDefinitions: null,
    rows: [],
  })
}

function errorLine(status: StatusBody): Frame {
  return line('ERROR', JSON.stringify(status))
}

function line(type: string, object: string): Frame {
  return frameOf(Buffer.from(`{"type":"${type}","object":${object}}\n`))
}
