import type { Clock } from '../../kernel/async/clock.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import type { Revision, StoreEvent } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target, WatchEvent } from '../contract/contract.ts'
import { lazyItem } from '../storage/item.ts'

/** Time between the bookmarks of a watcher, in milliseconds; up to a tenth less, so that not all are due at once. */
const bookmarkIntervalMs = 60_000
/** How many milliseconds before the end of a watch its last bookmark comes. */
const finalBookmarkMs = 2000
/** How many milliseconds the stream must stay silent after a bookmark's version was taken, before it is sent. */
const quietMs = 20

type Batch = readonly WatchEvent[]

/** The changes of one watch, and how its bookmarks are made. */
export interface BookmarkStream {
  readonly changes: AsyncIterable<readonly StoreEvent[]>
  readonly select: (events: readonly StoreEvent[]) => Batch
  readonly bookmark: (revision: Revision) => WatchEvent
  /** When the watch will be ended, in milliseconds of the clock. */
  readonly endsAt: number | undefined
}

/**
 * Mixes bookmarks in. A bookmark promises that nothing up to its version is still to come, so its version is taken
 * first and sent only after the stream was silent for a moment; a change that comes instead brings its own version.
 */
export async function* withBookmarks(
  context: RegistryContext,
  { changes, select, bookmark, endsAt }: BookmarkStream,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const { store } = context
  const pause = bookmarkPauses(context, endsAt)
  const iterator = changes[Symbol.asyncIterator]()
  const alarm = createAlarm(context.clock, signal)
  const read = () => {
    const ahead = iterator.next()
    // It may fail while the reader of the batch before is still busy: who waits for it is told then.
    ahead.catch(() => {})
    return ahead
  }
  try {
    let next = read()
    let noted: Revision | undefined
    alarm.set(pause())
    for (;;) {
      const got = await alarm.unless(next)
      if (got === 'rung') {
        if (noted !== undefined) yield [bookmark(noted)]
        noted = noted === undefined ? store.currentRevision : undefined
        alarm.set(noted === undefined ? pause() : quietMs)
        continue
      }
      if (got.done) return
      next = read()
      const batch = select(got.value)
      if (batch.length > 0) yield batch
      if (noted === undefined) continue
      noted = undefined
      alarm.set(pause())
      yield [bookmark((got.value.at(-1) as StoreEvent).revision)]
    }
  } finally {
    alarm.stop()
    await iterator.return?.()
  }
}

/** A function of the milliseconds until the next bookmark: the last one is due shortly before the end. */
function bookmarkPauses(
  { clock, random }: RegistryContext,
  endsAt: number | undefined,
): () => number {
  const started = clock.now()
  const left = (endsAt ?? Infinity) - started
  const farewell = started + Math.max(left - finalBookmarkMs, left / 2)
  return () => {
    const regular = bookmarkIntervalMs * (1 - random() / 10)
    const now = clock.now()
    return now < farewell ? Math.min(regular, farewell - now) : regular
  }
}

/** One timer that can be set anew. */
function createAlarm(clock: Clock, signal: AbortSignal) {
  let cancel = () => {}
  let rung = false
  let hear = () => {}
  return {
    set(ms: number): void {
      cancel()
      rung = false
      if (signal.aborted) return
      cancel = clock.after(ms, () => {
        rung = true
        hear()
      })
    },
    /**
     * What is awaited, or that the alarm rang before it. In place of a race with a promise of the alarm, which would hold all that was
     * awaited until it rings.
     */
    unless<T>(awaited: Promise<T>): Promise<T | 'rung'> {
      return new Promise<T | 'rung'>((resolve, reject) => {
        hear = () => resolve('rung')
        awaited.then(resolve, reject)
        if (rung) queueMicrotask(hear)
      }).finally(() => {
        hear = () => {}
      })
    },
    stop: () => cancel(),
  }
}

/** The last bookmark of each kind. */
const latest = new WeakMap<
  Target['kind'],
  { readonly revision: Revision; readonly event: WatchEvent }
>()

/** A bookmark: the type and the version, nothing else. Idle watchers of one kind share it. */
export function bookmarkOf({ kind }: Target, revision: Revision): WatchEvent {
  const known = latest.get(kind)
  if (known?.revision === revision) return known.event
  const event = eventOf(kind, { resourceVersion: String(revision) })
  latest.set(kind, { revision, event })
  return event
}

/** The bookmark after the last event of the state that a streaming list begins with. */
export function initialEventsEnd(
  { scheme }: RegistryContext,
  { kind }: Target,
  revision: Revision,
): WatchEvent {
  return eventOf(kind, {
    resourceVersion: String(revision),
    annotations: { [`${scheme.platform.api}/initial-events-end`]: 'true' },
  })
}

/** A bookmark has kind, apiVersion and metadata, like an object without fields. */
function eventOf(kind: Target['kind'], metadata: object): WatchEvent {
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata }
  return { type: 'BOOKMARK', item: lazyItem(encodeJson(object)) }
}
