import { invariant } from '../kernel/errors/invariant.ts'
import type { Revision, StoreEvent } from '../store/store.ts'

/** How much of the past is kept. */
export interface EventHistoryLimits {
  /** Milliseconds that an event is kept. */
  readonly ageMs: number
  /** Most bytes of the events that are kept. */
  readonly bytes: number
}

/** What an event costs beside the bytes of its values. */
const eventOverheadBytes = 256

/**
 * The recent events, one for every revision after `start`: dropped from the front when they are too old or too many.
 */
export class EventHistory {
  readonly #limits: EventHistoryLimits
  /** Events and the times when they came, from `#head` on: dropped ones stand before it until there are many. */
  #events: StoreEvent[] = []
  #times: number[] = []
  #head = 0
  #start: Revision
  #bytes = 0

  constructor(start: Revision, limits: EventHistoryLimits) {
    this.#start = start
    this.#limits = limits
  }

  /** Every event after this revision is here. */
  get start(): Revision {
    return this.#start
  }

  /** The revision of the last event. */
  get end(): Revision {
    return this.#start + this.#events.length - this.#head
  }

  /** Adds the event of the next revision. */
  push(event: StoreEvent, now: number): void {
    invariant(event.revision === this.end + 1, 'revisions have no gaps')
    this.#events.push(event)
    this.#times.push(now)
    this.#bytes += eventBytes(event)
  }

  /** Drops what is beyond the limits. */
  trim(now: number): void {
    const oldest = now - this.#limits.ageMs
    while (this.#start < this.end) {
      const old = (this.#times[this.#head] as number) < oldest
      if (!old && this.#bytes <= this.#limits.bytes) break
      this.#drop()
    }
    this.#shrink()
  }

  /** Drops everything up to and including `revision`. */
  forget(revision: Revision): void {
    while (this.#start < revision && this.#start < this.end) this.#drop()
    this.#shrink()
  }

  /** The event of a revision; undefined if it is older than the history. */
  at(revision: Revision): StoreEvent | undefined {
    if (revision <= this.#start) return undefined
    return this.#events[this.#head + revision - this.#start - 1]
  }

  /** The events after `after`, which must not be before `start`. */
  *since(after: Revision): Generator<StoreEvent, void> {
    invariant(after >= this.#start, 'history reaches back to its start')
    for (let i = this.#head + after - this.#start; i < this.#events.length; i++) {
      yield this.#events[i] as StoreEvent
    }
  }

  #drop(): void {
    this.#bytes -= eventBytes(this.#events[this.#head] as StoreEvent)
    this.#head += 1
    this.#start += 1
  }

  /** Dropped events are let go in batches, so that dropping one stays cheap. */
  #shrink(): void {
    if (this.#head < 1024 && this.#head < this.#events.length) return
    if (this.#head * 2 < this.#events.length) return
    this.#events = this.#events.slice(this.#head)
    this.#times = this.#times.slice(this.#head)
    this.#head = 0
  }
}

/** An upper bound: a version is counted as the new one of one event and as the old one of the next. */
export function eventBytes(event: StoreEvent): number {
  const { entry, previous } = event
  return eventOverheadBytes + (entry?.value.byteLength ?? 0) + (previous?.value.byteLength ?? 0)
}
