import { type Clock, pause } from '../kernel/async/clock.ts'
import { yieldToEventLoop } from '../kernel/async/slices.ts'

/** How records wait in mode `batch`. */
export interface BatchOptions {
  /** Records that wait; what comes when so many wait is lost. */
  readonly bufferEvents: number
  /** Records that go out together; as soon as so many wait, they do. */
  readonly maxEvents: number
  /** Milliseconds after which records go out although they are fewer. */
  readonly maxWaitMs: number
  /** Batches that go out a second, and how many at once after a rest. Default: no bound. */
  readonly throttle?: { readonly perSecond: number; readonly burst: number }
  /** Bytes of one batch, unless a single record has more. Default: no bound. */
  readonly maxBytes?: number
}

/** Where batches go. */
export interface BatchTarget {
  /** Settles when nothing more is to be done for these records; never rejects. */
  readonly send: (texts: readonly string[]) => Promise<void>
  /** `one by one`: a batch waits for the last, and takes with it what became ready meanwhile. */
  readonly order: 'one by one' | 'side by side'
  /** Called for every record that finds no room; `first` for the first since there was some. */
  readonly onFull: (first: boolean) => void
}

/** Collects records until they go out together. */
export interface Batches {
  /** False if there is no room. */
  add(text: string): boolean
  /** Sends what waits, and resolves when all of it is settled. */
  stop(): Promise<void>
}

/** Characters of records that wait or are on their way, however few they are. */
const mostCharacters = 64 * 1024 * 1024

/** Batches of bounded number, length and rate, in the order of the records. */
export function createBatches(
  {
    bufferEvents,
    maxEvents,
    maxWaitMs,
    throttle,
    maxBytes = Number.POSITIVE_INFINITY,
  }: BatchOptions,
  { send, order, onFull }: BatchTarget,
  clock: Clock,
): Batches {
  const turn = throttle === undefined ? undefined : createThrottle(throttle, clock)
  const joins = order === 'one by one' && turn === undefined
  const onTheirWay = new Set<Promise<void>>()
  let waiting: string[] = []
  let held = 0
  let full = false
  let due = false
  let stopped = false
  let cancelTimer: (() => void) | undefined
  let sending: Promise<void> | undefined

  function add(text: string): boolean {
    if (stopped || waiting.length >= bufferEvents || held + text.length > mostCharacters) {
      onFull(!full)
      full = true
      return false
    }
    waiting.push(text)
    held += text.length
    wake()
    return true
  }

  /** Sends what is ready, or sees to it that it is in time. */
  function wake(): void {
    if (isReady()) sending ??= sendReady()
    else cancelTimer ??= clock.after(maxWaitMs, onDue)
  }

  function onDue(): void {
    cancelTimer = undefined
    due = true
    wake()
  }

  function isReady(): boolean {
    return waiting.length >= maxEvents || (waiting.length > 0 && (due || stopped))
  }

  async function sendReady(): Promise<void> {
    await yieldToEventLoop()
    while (isReady()) {
      await turn?.()
      const sent = settled(take())
      if (order === 'one by one') await sent
    }
    sending = undefined
    if (waiting.length > 0) wake()
  }

  /** Removes the next batch from what waits. */
  function take(): readonly string[] {
    const most = joins ? waiting.length : Math.min(waiting.length, maxEvents)
    let count = 0
    for (let bytes = 0; count < most; count++) {
      bytes += Buffer.byteLength(waiting[count] ?? '')
      if (count > 0 && bytes > maxBytes) break
    }
    const batch = waiting.slice(0, count)
    waiting = waiting.slice(count)
    due = due && count < most
    full = false
    cancelTimer?.()
    cancelTimer = undefined
    return batch
  }

  function settled(batch: readonly string[]): Promise<void> {
    const sent = send(batch).then(() => {
      for (const text of batch) held -= text.length
      onTheirWay.delete(sent)
    })
    onTheirWay.add(sent)
    return sent
  }

  return {
    add,
    async stop() {
      stopped = true
      wake()
      cancelTimer?.()
      while (sending !== undefined) await sending
      await Promise.all(onTheirWay)
    },
  }
}

/** Resolves when the next one may go: `perSecond` of them, and `burst` at once after a rest. */
function createThrottle(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  clock: Clock,
): () => Promise<void> {
  let tokens = burst
  let at = clock.monotonic()
  return async () => {
    const now = clock.monotonic()
    tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond) - 1
    at = now
    if (tokens < 0) await pause(clock, (-tokens / perSecond) * 1000)
  }
}
