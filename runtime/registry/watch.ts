import type { Entry, Revision, StoreEvent } from '../store/store.ts'
import { bookmarkOf, initialEnd, withBookmarks } from './bookmarks.ts'
import type { Context } from './context.ts'
import { recent } from './converting-view.ts'
import { expired, isStoreError, tooLarge } from './errors.ts'
import { itemAt, itemOf } from './item.ts'
import { checkWatchOptions } from './read-options.ts'
import type { Target, WatchEvent, WatchOptions } from './registry.ts'
import { type Selection, selectionOf } from './selection.ts'
import { parseVersion, reach } from './version.ts'

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
  checkWatchOptions(context, options)
  const selection = selectionOf(target, options)
  const version = parseVersion(options.resourceVersion)
  const started = context.clock.now()
  const endsAt = options.lifeMs === undefined ? undefined : started + options.lifeMs
  return follow(context, { target, selection, version, options, endsAt }, signal)
}

interface Request {
  readonly target: Target
  readonly selection: Selection
  readonly version: Revision | undefined
  readonly options: WatchOptions
  readonly endsAt: number | undefined
}

async function* follow(
  context: Context,
  { target, selection, version, options, endsAt }: Request,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const { store } = context
  let after = version ?? 0
  try {
    const start = await startOf(context, selection, version, options.sendInitialEvents)
    after = start.after
    yield* initial(start.entries, selection)
    if (options.sendInitialEvents && options.bookmarks) yield [initialEnd(context, target, after)]
    const changes = store.watch(selection.prefix, after, signal)
    const select = (events: readonly StoreEvent[]) => selected(events, selection)
    if (!options.bookmarks) {
      // Not a generator of its own: each one costs every watcher four turns of the microtask queue for every event.
      for await (const events of changes) {
        const batch = select(events)
        if (batch.length > 0) yield batch
      }
    } else {
      const bookmark = (revision: Revision) => bookmarkOf(target, revision)
      yield* withBookmarks(context, { changes, select, bookmark, endsAt }, signal)
    }
  } catch (error) {
    if (isStoreError(error, 'Expired')) {
      throw expired(`too old resource version: ${after} (${store.current})`)
    }
    if (isStoreError(error, 'Future')) throw tooLarge(after, store.current)
    throw error
  }
}

interface Start {
  /** The state to send first. */
  readonly entries: readonly Entry[]
  /** The version after which changes follow. */
  readonly after: Revision
}

/** The row of the watch table that a request stands in. */
async function startOf(
  context: Context,
  { prefix }: Selection,
  version: Revision | undefined,
  sendInitialEvents: boolean | undefined,
): Promise<Start> {
  const { store } = context
  if (version === undefined || version === 0) {
    if (sendInitialEvents === false) {
      return { entries: [], after: version === 0 ? store.current : await store.revision() }
    }
    const { entries, revision } = await (version === 0 ? recent(store, prefix) : store.list(prefix))
    return { entries, after: revision }
  }
  if (sendInitialEvents) {
    await reach(context, version)
    const { entries, revision } = await recent(store, prefix)
    return { entries, after: revision }
  }
  if (version > (await store.revision())) {
    throw expired(`resource version ${version} is not of this history (${store.current})`)
  }
  return { entries: [], after: version }
}

function* initial(entries: readonly Entry[], { matches }: Selection): Generator<Batch> {
  let batch: WatchEvent[] = []
  for (const entry of entries) {
    const item = itemOf(entry)
    if (matches !== undefined && !matches(item)) continue
    batch.push({ type: 'ADDED', initial: true, item })
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
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
