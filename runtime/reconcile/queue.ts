import { type Clock, systemClock } from '../kernel/async/clock.ts'
import type { Metrics } from '../observe/observe.ts'
import { type Backoff, backoffMs, createTokenBucket, type Rate } from './backoff.ts'
import { createFifo, type Fifo } from './fifo.ts'
import { createQueueMetrics } from './queue-metrics.ts'

/** `urgent` work was caused by a change; `routine` work is the first look at what was there before. */
export type QueuePriority = 'urgent' | 'routine'

export interface QueueOptions {
  readonly clock?: Clock
  readonly backoff?: Backoff
  /** How many retries may begin, over all items. Default 10 a second after a burst of 100. */
  readonly retries?: Rate
  /** Where its keys are counted, and under which name. Default: nowhere. */
  readonly metrics?: Metrics
  readonly name?: string
}

/**
 * A work queue of keys.
 *
 *  1. A key stands in it at most once, and is never given to two takers at a time: added while it is being worked on,
 *     it comes again afterwards.
 *  2. Urgent keys go first; every eighth turn is a routine key's, so that those get through.
 *  3. Of several waits for one key the shortest counts.
 */
export interface Queue {
  add(item: string, lane?: QueuePriority): void
  /** Adds the key when `ms` have passed. */
  addAfter(item: string, ms: number): void
  /** Adds the key after a wait that doubles with each retry since the last `forget`. */
  retry(item: string): void
  /** Ends the count of a key's failures. */
  forget(item: string): void
  /** The next key; undefined once `signal` has aborted. The taker calls `finish` when it is through. */
  take(signal: AbortSignal): Promise<string | undefined>
  finish(item: string): void
  /** Drops the waits; what stands in the queue stays. */
  close(): void
  /** Keys that could be taken now. */
  readonly depth: number
  /** Keys that wait for their time. */
  readonly delayed: number
}

interface Delay {
  readonly due: number
  readonly cancel: () => void
}

type Taker = (item: string | undefined) => void

const routineEvery = 8

export function createQueue(options: QueueOptions = {}): Queue {
  const { clock = systemClock, backoff, retries = { perSecond: 10, burst: 100 } } = options
  const { metrics, name = '' } = options
  const bucket = createTokenBucket(retries, clock)
  const lanes: Readonly<Record<QueuePriority, Fifo>> = {
    urgent: createFifo(),
    routine: createFifo(),
  }
  const taken = new Map<string, QueuePriority | undefined>()
  const delays = new Map<string, Delay>()
  const failures = new Map<string, number>()
  const takers = new Set<Taker>()
  const depth = () => lanes.urgent.size + lanes.routine.size
  const meters = metrics && createQueueMetrics(metrics, name, clock, depth)
  let turns = 0

  return {
    add,
    addAfter,
    retry(item) {
      meters?.retried()
      const count = (failures.get(item) ?? 0) + 1
      failures.set(item, count)
      addAfter(item, Math.max(backoffMs(count, backoff), bucket()))
    },
    forget: (item) => void failures.delete(item),

    take(signal) {
      const item = signal.aborted ? undefined : next()
      if (item !== undefined || signal.aborted) return Promise.resolve(item)
      return new Promise((resolve) => {
        const taker: Taker = (given) => {
          takers.delete(taker)
          signal.removeEventListener('abort', leave)
          resolve(given)
        }
        const leave = (): void => taker(undefined)
        takers.add(taker)
        signal.addEventListener('abort', leave, { once: true })
      })
    },
    finish(item) {
      const lane = taken.get(item)
      taken.delete(item)
      meters?.finished(item)
      if (lane !== undefined) add(item, lane)
    },

    close() {
      for (const { cancel } of delays.values()) cancel()
      delays.clear()
    },
    get depth() {
      return depth()
    },
    get delayed() {
      return delays.size
    },
  }

  function add(item: string, lane: QueuePriority = 'urgent'): void {
    undelay(item)
    if (taken.has(item)) {
      taken.set(item, taken.get(item) === 'urgent' ? 'urgent' : lane)
      return
    }
    if (!lanes.urgent.has(item) && !lanes.routine.has(item)) meters?.added(item)
    if (lane === 'urgent') lanes.routine.remove(item)
    if (lane === 'urgent' || !lanes.urgent.has(item)) lanes[lane].push(item)
    serve()
  }

  function addAfter(item: string, ms: number): void {
    const due = clock.now() + ms
    const known = delays.get(item)
    if (known !== undefined && known.due <= due) return
    undelay(item)
    if (ms <= 0) add(item)
    else delays.set(item, { due, cancel: clock.after(ms, () => add(item)) })
  }

  function undelay(item: string): void {
    delays.get(item)?.cancel()
    delays.delete(item)
  }

  /** Gives what stands in the queue to those who wait for it. */
  function serve(): void {
    for (const taker of takers) {
      const item = next()
      if (item === undefined) return
      taker(item)
    }
  }

  function next(): string | undefined {
    const { urgent, routine } = lanes
    const first = ++turns % routineEvery === 0 ? routine : urgent
    const item = first.shift() ?? (first === urgent ? routine : urgent).shift()
    if (item === undefined) return undefined
    taken.set(item, undefined)
    meters?.taken(item)
    return item
  }
}
