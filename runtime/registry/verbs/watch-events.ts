/** What a change of the store is to a watcher. Watchers that see a change the same way get the very same event object. */
import type { Entry, StoreEvent } from '../../store/store.ts'
import type { WatchEvent } from '../contract/contract.ts'
import { itemAtRevision, itemOf } from '../storage/item.ts'
import type { SelectionPredicate } from '../storage/selection-predicate.ts'

/**
 * The events of changes for a selection. An object that comes to match is ADDED, one that no longer does is DELETED, with the
 * last state that matched under the version of the change.
 */
export function selectEvents(
  events: readonly StoreEvent[],
  { matches }: SelectionPredicate,
): readonly WatchEvent[] {
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

/** What a change is: a bookmark is none. */
type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** What a change is to a watcher of everything. */
function naturalType({ entry, previous }: StoreEvent): ChangeType {
  if (entry === undefined) return 'DELETED'
  return previous === undefined ? 'ADDED' : 'MODIFIED'
}

/** The events that were made of a change, by type. */
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

/**
 * The last state of a deleted object is sent under the version of its deletion, so that a watch can go on from there.
 */
function eventOf({ entry, previous, revision }: StoreEvent, type: ChangeType): WatchEvent {
  if (type !== 'DELETED' && entry !== undefined) return { type, item: itemOf(entry) }
  return { type: 'DELETED', item: itemAtRevision((previous ?? entry) as Entry, revision) }
}
