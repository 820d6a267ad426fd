import type { Clock } from '../../kernel/async/clock.ts'
import type { WatchEvent } from '../../registry/registry.ts'
import type { BodyStream, Frame, Sink } from '../http/response.ts'

/** How one watch is written. Times are milliseconds. */
export interface WatchStreamOptions {
  /** Ends the stream when it aborts; aborted by the stream when that ends for any other reason. */
  readonly stop: AbortController
  readonly clock: Clock
  /** How long a receiver may take nothing at all before its watch is given up. */
  readonly stalledMs: number
  /** The stream ends by itself after this time. */
  readonly lifeMs: number
  readonly frame: (event: WatchEvent) => Frame
  /** The event of type ERROR that ends a watch which fails. */
  readonly failure: (error: unknown) => Frame
}

/**
 * Writes events until the client goes, the time is over or the server stops. A receiver that is behind is waited for: what it
 * has not taken stays in the watch cache, under its bound, and is lost there in the end. A failure arrives as an event of type
 * ERROR, the last one.
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

/**
 * Writes the rest of a batch as fast as the receiver takes it; false if it is to be given up. Never hands over more than the
 * receiver is ready for.
 */
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

/** Waits for the receiver to take what was written; false if it took too long. */
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
