import type { Entry, Revision, StoreEvent } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target, WatchEvent, WatchOptions } from '../contract/contract.ts'
import { expired, isStoreError, resourceVersionTooLarge } from '../contract/errors.ts'
import { listRecent } from '../storage/converting-store.ts'
import { itemAtRevision, itemOf } from '../storage/item.ts'
import { parseResourceVersion, waitForRevision } from '../storage/resource-version.ts'
import { type SelectionPredicate, selectionPredicate } from '../storage/selection-predicate.ts'
import { bookmarkOf, initialEventsEnd, withBookmarks } from './bookmarks.ts'
import { checkWatchOptions } from './read-options.ts'

const batchSize = 500

type Batch = readonly WatchEvent[]

/**
 * Changes of a collection after a version; without a version, or from version 0, what is there comes first as ADDED
 * events in key order. Options that cannot be understood fail at once, not in the iteration.
 */
export function watch(
  context: RegistryContext,
  target: Target,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncIterable<Batch> {
  checkWatchOptions(context, options)
  const selection = selectionPredicate(target, options)
  const version = parseResourceVersion(options.resourceVersion)
  const started = context.clock.now()
  const endsAt = options.timeoutMs === undefined ? undefined : started + options.timeoutMs
  return followChanges(context, { target, selection, version, options, endsAt }, signal)
}

interface Request {
  readonly target: Target
  readonly selection: SelectionPredicate
  readonly version: Revision | undefined
  readonly options: WatchOptions
  readonly endsAt: number | undefined
}

async function* followChanges(
  context: RegistryContext,
  { target, selection, version, options, endsAt }: Request,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const { store } = context
  let after = version ?? 0
  try {
    const start = await watchStart(context, selection, version, options.sendInitialEvents)
    after = start.after
    yield* initialEvents(start.entries, selection)
    if (options.sendInitialEvents && options.bookmarks)
      yield [initialEventsEnd(context, target, after)]
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
      throw expired(`too old resource version: ${after} (${store.currentRevision})`)
    }
    if (isStoreError(error, 'Future')) throw resourceVersionTooLarge(after, store.currentRevision)
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
async function watchStart(
  context: RegistryContext,
  { prefix }: SelectionPredicate,
  version: Revision | undefined,
  sendInitialEvents: boolean | undefined,
): Promise<Start> {
  const { store } = context
  if (version === undefined || version === 0) {
    if (sendInitialEvents === false) {
      return { entries: [], after: version === 0 ? store.currentRevision : await store.revision() }
    }
    const { entries, revision } = await (version === 0
      ? listRecent(store, prefix)
      : store.list(prefix))
    return { entries, after: revision }
  }
  if (sendInitialEvents) {
    await waitForRevision(context, version)
    const { entries, revision } = await listRecent(store, prefix)
    return { entries, after: revision }
  }
  if (version > (await store.revision())) {
    throw expired(`resource version ${version} is not of this history (${store.currentRevision})`)
  }
  return { entries: [], after: version }
}

function* initialEvents(
  entries: readonly Entry[],
  { matches }: SelectionPredicate,
): Generator<Batch> {
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

function selected(events: readonly StoreEvent[], { matches }: SelectionPredicate): Batch {
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
  return { type: 'DELETED', item: itemAtRevision((previous ?? entry) as Entry, revision) }
}
