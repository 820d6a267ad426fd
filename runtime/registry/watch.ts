import { encode } from '../codec/codec.ts'
import { apiVersionOf } from '../kernel/object.ts'
import type { Clock } from '../kernel/time.ts'
import type { Entry, Revision, StoreEvent } from '../store/store.ts'
import type { Context } from './context.ts'
import { expired, isStoreError, tooLarge } from './errors.ts'
import { itemAt, itemOf, lazyItem } from './item.ts'
import type { Target, WatchEvent, WatchOptions } from './registry.ts'
import { type Selection, selectionOf } from './selection.ts'
import { parseVersion } from './version.ts'

const bookmarkMs = 60_000
/** How long after taking a bookmark's version the stream must stay silent before it is sent. */
const settleMs = 20
const batchSize = 500

type Batch = readonly WatchEvent[]

/**
 * Changes of a collection after a version; without a version, or from version 0, what is there comes first as ADDED
 * events in key order. Options that cannot be understood fail at once, not in the iteration.
 */
export function watch(
  context: Context,
  target: Target,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncIterable<Batch> {
  const selection = selectionOf(target, options)
  const version = parseVersion(options.resourceVersion)
  return follow(context, { target, selection, version, bookmarks: options.bookmarks }, signal)
}

interface Request {
  readonly target: Target
  readonly selection: Selection
  readonly version: Revision | undefined
  readonly bookmarks: boolean
}

async function* follow(
  context: Context,
  { target, selection, version, bookmarks }: Request,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const { store } = context
  let after = version ?? 0
  try {
    if (after === 0) {
      const { prefix } = selection
      const page = version === 0 ? store.stale(prefix) : await store.list(prefix)
      after = page.revision
      yield* initial(page.entries, selection)
    } else if (after > (await store.revision())) {
      throw expired(`resource version ${after} is not of this history (${store.current})`)
    }
    const changes = store.watch(selection.prefix, after, signal)
    if (bookmarks) yield* withBookmarks(context, target, selection, changes, signal)
    else yield* plain(changes, selection)
  } catch (error) {
    if (isStoreError(error, 'Expired')) {
      throw expired(`too old resource version: ${after} (${store.current})`)
    }
    if (isStoreError(error, 'Future')) throw tooLarge(after, store.current)
    throw error
  }
}

const additions = new WeakMap<Entry, WatchEvent>()

function* initial(entries: readonly Entry[], { matches }: Selection): Generator<Batch> {
  let batch: WatchEvent[] = []
  for (const entry of entries) {
    if (matches !== undefined && !matches(itemOf(entry))) continue
    batch.push(additionOf(entry))
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function additionOf(entry: Entry): WatchEvent {
  let event = additions.get(entry)
  if (event === undefined) {
    event = { type: 'ADDED', item: itemOf(entry) }
    additions.set(entry, event)
  }
  return event
}

async function* plain(
  changes: AsyncIterable<readonly StoreEvent[]>,
  selection: Selection,
): AsyncGenerator<Batch> {
  for await (const events of changes) {
    const batch = selected(events, selection)
    if (batch.length > 0) yield batch
  }
}

function selected(events: readonly StoreEvent[], { matches }: Selection): Batch {
  if (matches === undefined) return events.map((event) => memoised(event, naturalType(event)))
  const batch: WatchEvent[] = []
  for (const event of events) {
    const now = event.entry !== undefined && matches(itemOf(event.entry))
    const before = event.previous !== undefined && matches(itemOf(event.previous))
    if (now) batch.push(memoised(event, before ? 'MODIFIED' : 'ADDED'))
    else if (before) batch.push(memoised(event, 'DELETED'))
  }
  return batch
}

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

function naturalType({ entry, previous }: StoreEvent): ChangeType {
  if (entry === undefined) return 'DELETED'
  return previous === undefined ? 'ADDED' : 'MODIFIED'
}

const memos = new WeakMap<StoreEvent, Partial<Record<ChangeType, WatchEvent>>>()

/** The event of a change as its watchers see it: the same one for all that see it the same way. */
function memoised(change: StoreEvent, type: ChangeType): WatchEvent {
  let memo = memos.get(change)
  if (memo === undefined) {
    memo = {}
    memos.set(change, memo)
  }
  memo[type] ??= eventOf(change, type)
  return memo[type]
}

function eventOf({ entry, previous, revision }: StoreEvent, type: ChangeType): WatchEvent {
  if (type !== 'DELETED' && entry !== undefined) return { type, item: itemOf(entry) }
  return { type: 'DELETED', item: itemAt((previous ?? entry) as Entry, revision) }
}

/**
 * Mixes bookmarks in. A bookmark promises that nothing up to its version is still to come, so its version is taken
 * first and sent only after the stream was silent for a moment; a change that comes instead brings its own version.
 */
async function* withBookmarks(
  { store, clock }: Context,
  target: Target,
  selection: Selection,
  changes: AsyncIterable<readonly StoreEvent[]>,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const iterator = changes[Symbol.asyncIterator]()
  const alarm = createAlarm(clock, signal)
  try {
    let next = iterator.next()
    let noted: Revision | undefined
    let ringing = alarm.ring(bookmarkMs)
    for (;;) {
      const got = await Promise.race([next, ringing])
      if (got === 'rung') {
        if (noted !== undefined) yield [bookmark(target, noted)]
        noted = noted === undefined ? store.current : undefined
        ringing = alarm.ring(noted === undefined ? bookmarkMs : settleMs)
        continue
      }
      if (got.done) return
      next = iterator.next()
      const batch = selected(got.value, selection)
      if (batch.length > 0) yield batch
      if (noted === undefined) continue
      noted = undefined
      ringing = alarm.ring(bookmarkMs)
      yield [bookmark(target, (got.value.at(-1) as StoreEvent).revision)]
    }
  } finally {
    alarm.stop()
    await iterator.return?.()
  }
}

/** One timer that can be set anew. */
function createAlarm(clock: Clock, signal: AbortSignal) {
  let cancel = () => {}
  return {
    ring(ms: number): Promise<'rung'> {
      cancel()
      return new Promise((resolve) => {
        if (!signal.aborted) cancel = clock.after(ms, () => resolve('rung'))
      })
    },
    stop: () => cancel(),
  }
}

function bookmark({ kind }: Target, revision: Revision): WatchEvent {
  const object = {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { resourceVersion: String(revision) },
  }
  return { type: 'BOOKMARK', item: lazyItem(encode(object)) }
}
