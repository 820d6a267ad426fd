import { type Clock, pause } from '../kernel/async/clock.ts'
import type { Fault } from './fault.ts'

/** How the body of a watch goes wrong. */
export interface FaultyBodyOptions {
  readonly clock: Clock
  readonly fault: Fault | undefined
  /** Holds, while the body is read, what breaks it. */
  readonly breaks: Set<() => void>
  /** Ends the watch behind it, and this body with it. */
  readonly stop: AbortController
}

/** The events of a watch, one a chunk, until the fault, or until the test breaks them. */
export async function* faultyBody(
  body: AsyncIterable<Uint8Array>,
  { clock, fault, breaks, stop }: FaultyBodyOptions,
): AsyncGenerator<Uint8Array, void> {
  const reset = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(new Error('connection reset')))
  })
  reset.catch(() => {})
  const cut = (): void => stop.abort()
  breaks.add(cut)
  const events = lines(body)[Symbol.asyncIterator]()
  let left = fault !== undefined && 'afterEvents' in fault ? fault.afterEvents : undefined
  try {
    for (;;) {
      if (left === 0 && fault !== undefined) {
        if (fault.is === 'ended') return
        if (fault.is === 'broken') throw new Error('connection reset')
        if (fault.is === 'half-open') await reset
        if (fault.is === 'frozen') await Promise.race([pause(clock, fault.ms, stop.signal), reset])
      }
      const next = await Promise.race([events.next(), reset])
      if (next.done) return
      yield next.value
      if (left !== undefined) left -= 1
    }
  } finally {
    breaks.delete(cut)
    stop.abort()
    void events.return?.()
  }
}

/** The lines of a body, with their ends. */
async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let rest = Buffer.alloc(0)
  for await (const chunk of body) {
    let whole = rest.byteLength === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    for (let end = whole.indexOf(10); end >= 0; end = whole.indexOf(10)) {
      yield whole.subarray(0, end + 1)
      whole = whole.subarray(end + 1)
    }
    rest = whole
  }
  if (rest.byteLength > 0) yield rest
}
