import { invariant } from '../kernel/errors/invariant.ts'
import type { Entry, Revision, StoreEvent } from '../store/store.ts'
import { deltaOf, restored, type ValueDelta } from './value-delta.ts'

/** How much of the past is kept. */
export interface EventHistoryLimits {
  /** Milliseconds that an event is kept. */
  readonly ageMs: number
  /** Most bytes that the events cost which are kept. */
  readonly bytes: number
}

/** What a kept event costs beside the bytes of its values, as measured: the record, and what an array of bytes takes around them. */
const eventOverheadBytes = 512

/** Of so many versions of a large value one is kept whole: the others are made of it, at most so many steps away. */
const wholeEvery = 8

/** How many of the latest events are kept as the objects that their readers got. */
const recentEvents = 1024

/**
 * What is kept of an event. Of the objects that readers get only the bytes stay, so that nothing lives on which was made of them;
 * and an object that is made again is shared as long as it has a reader.
 */
interface KeptEvent {
  readonly key: string
  readonly createRevision: Revision
  readonly previousRevision: Revision
  /** Undefined also where the event that replaced it has it as its previous value. */
  value: Uint8Array | undefined
  /** A large value that this event changed a little is kept in the terms of the new one. */
  previous: Uint8Array | ValueDelta | undefined
  /** When it came. */
  readonly at: number
  event: StoreEvent | WeakRef<StoreEvent> | undefined
  /** What is freed with it. */
  bytes: number
  /** How many versions of its key were kept before it. */
  version: number
  /** The event that replaced its value; from then on the bytes are that one's, too. */
  replacedBy: KeptEvent | undefined
}

/**
 * The recent events, one for every revision after `start`: dropped from the front when they are too old or too many.
 */
export class EventHistory {
  readonly #limits: EventHistoryLimits
  /** From `#head` on: dropped ones stand before it until there are many. */
  #events: (KeptEvent | undefined)[] = []
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

  /** What the kept events cost. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds the event of the next revision. */
  push(event: StoreEvent, now: number): void {
    invariant(event.revision === this.end + 1, 'revisions have no gaps')
    const { entry, previous, key } = event
    const kept: KeptEvent = {
      key,
      createRevision: (entry ?? previous)?.createRevision ?? 0,
      previousRevision: previous?.revision ?? 0,
      value: entry?.value,
      previous: previous?.value,
      at: now,
      event,
      bytes: eventOverheadBytes + lengthOf(entry?.value),
      version: 0,
      replacedBy: undefined,
    }
    const replaced = this.#kept(kept.previousRevision)
    if (replaced === undefined) kept.bytes += lengthOf(previous?.value)
    else this.#replace(replaced, kept)
    this.#events.push(kept)
    this.#bytes += kept.bytes
    const old = this.#kept(event.revision - recentEvents)
    if (old !== undefined) old.event = undefined
  }

  /** Notes what replaced an event's value, and keeps of a large one what the new value does not have. */
  #replace(replaced: KeptEvent, kept: KeptEvent): void {
    replaced.replacedBy = kept
    kept.version = replaced.version + 1
    const { value } = replaced
    const isWhole = kept.version % wholeEvery === 0
    const delta = isWhole ? undefined : value && kept.value && deltaOf(value, kept.value)
    if (delta === undefined) return
    const deltaBytes = delta.head.length + delta.tail.length
    this.#bytes -= lengthOf(value)
    replaced.bytes -= lengthOf(value)
    kept.bytes += deltaBytes
    replaced.value = undefined
    kept.previous = delta
    for (const one of [replaced, kept]) {
      if (one.event !== undefined && !(one.event instanceof WeakRef)) {
        one.event = new WeakRef(one.event)
      }
    }
  }

  /** Adds the events of a history that begins where this one ends. */
  append(later: EventHistory): void {
    for (const event of later.since(this.end)) {
      this.push(event, (later.#kept(event.revision) as KeptEvent).at)
    }
  }

  /** Drops what is beyond the limits. */
  trim(now: number): void {
    const oldest = now - this.#limits.ageMs
    while (this.#start < this.end) {
      const old = (this.#kept(this.#start + 1) as KeptEvent).at < oldest
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
    const kept = this.#kept(revision)
    return kept && eventOf(kept, revision)
  }

  /** The events after `after`, which must not be before `start`, as far as their keys are wanted. */
  *since(after: Revision, prefix = ''): Generator<StoreEvent, void> {
    invariant(after >= this.#start, 'history reaches back to its start')
    for (let revision = after + 1; revision <= this.end; revision++) {
      const kept = this.#kept(revision) as KeptEvent
      if (kept.key.startsWith(prefix)) yield eventOf(kept, revision)
    }
  }

  #kept(revision: Revision): KeptEvent | undefined {
    return revision <= this.#start
      ? undefined
      : this.#events[this.#head + revision - this.#start - 1]
  }

  /** The bytes of a value go with the last event that has it. */
  #drop(): void {
    const { bytes, replacedBy, value } = this.#events[this.#head] as KeptEvent
    this.#bytes -= bytes
    if (replacedBy !== undefined) {
      replacedBy.bytes += lengthOf(value)
      this.#bytes += lengthOf(value)
    }
    this.#events[this.#head] = undefined
    this.#head += 1
    this.#start += 1
  }

  /** Places of dropped events are let go in batches, so that dropping one stays cheap. */
  #shrink(): void {
    if (this.#head < 1024 && this.#head < this.#events.length) return
    if (this.#head * 2 < this.#events.length) return
    this.#events = this.#events.slice(this.#head)
    this.#head = 0
  }
}

/** The object of an event: the one that another reader has, if there is one. */
function eventOf(kept: KeptEvent, revision: Revision): StoreEvent {
  const known = kept.event instanceof WeakRef ? kept.event.deref() : kept.event
  if (known !== undefined) return known
  const { key, createRevision, previousRevision } = kept
  const entryOf = (value: Uint8Array, at: Revision): Entry => ({
    key,
    revision: at,
    createRevision,
    value,
  })
  const value = valueIn(kept)
  const previous = previousIn(kept)
  const event: StoreEvent = {
    revision,
    key,
    ...(value && { entry: entryOf(value, revision) }),
    ...(previous && { previous: entryOf(previous, previousRevision) }),
  }
  kept.event = new WeakRef(event)
  return event
}

/** The value that an event left, from the one that replaced it where that has it. */
function valueIn({ value, replacedBy }: KeptEvent): Uint8Array | undefined {
  return value ?? (replacedBy && previousIn(replacedBy))
}

function previousIn(kept: KeptEvent): Uint8Array | undefined {
  const { previous } = kept
  if (previous === undefined || previous instanceof Uint8Array) return previous
  const newer = valueIn(kept)
  invariant(newer !== undefined, 'a value in the terms of another has that one')
  return restored(previous, newer)
}

/** What an unread event costs at most: a value is counted as the new one of one event and as the old one of the next. */
export function eventBytes({ entry, previous }: StoreEvent): number {
  return eventOverheadBytes + lengthOf(entry?.value) + lengthOf(previous?.value)
}

function lengthOf(value: Uint8Array | undefined): number {
  return value?.byteLength ?? 0
}
