import type { Entry, Revision, StoreEvent } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target, WatchEvent, WatchOptions } from '../contract/contract.ts'
import { expired, isStoreError, resourceVersionTooLarge } from '../contract/errors.ts'
import { listRecent } from '../storage/converting-store.ts'
import { itemOf } from '../storage/item.ts'
import { parseResourceVersion, waitForRevision } from '../storage/resource-version.ts'
import type { SelectionPredicate } from '../storage/selection-predicate.ts'
import { bookmarkOf, initialEventsEnd, withBookmarks } from './bookmarks.ts'
import { watchSelection } from './read-options.ts'
import { selectEvents } from './watch-events.ts'

/** Most events of the initial state in one batch: more would delay what other requests wait for. */
const batchSize = 500

type Batch = readonly WatchEvent[]

/**
 * Changes of a collection after a version, in the order of their revisions.
 *
 *  1. Without a version, or from version 0, the state comes first, as ADDED events in key order.
 *  2. No change is left out and none comes twice: what the state does not show is among the changes after it.
 *  3. A change that takes an object out of the selection is a DELETED event, one that brings it in an ADDED one.
 *
 * @throws StatusError at once for options without a meaning; in the iteration Expired for a version that is compacted, Timeout
 *   for one that is still to come.
 */
export function watch(
  context: RegistryContext,
  target: Target,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncIterable<Batch> {
  const selection = watchSelection(context, target, options)
  const version = parseResourceVersion(options.resourceVersion)
  const started = context.clock.now()
  const endsAt = options.timeoutMs === undefined ? undefined : started + options.timeoutMs
  return followChanges(context, { target, selection, version, options, endsAt }, signal)
}

/** A watch whose options are read. */
interface Request {
  readonly target: Target
  readonly selection: SelectionPredicate
  readonly version: Revision | undefined
  readonly options: WatchOptions
  readonly endsAt: number | undefined
}

/** The initial state, then the changes until the signal aborts. */
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
    const select = (events: readonly StoreEvent[]) => selectEvents(events, selection)
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

/**
 * Where a watch begins. The table of `resourceVersion` and `sendInitialEvents`:
 *
 *  - unset: the latest state, confirmed by the store; `0`: the cached state; neither is sent with `sendInitialEvents=false`;
 *  - a version: the changes after it, or with `sendInitialEvents=true` a state that is at least as new, then its changes.
 */
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

/** The matching entries of a state as ADDED events. */
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
