/**
 * The store as one version of a kind sees it. Where that version is not the stored one, entries are converted on the way
 * out and values on the way in; everything else in this room works in the version of the request and never knows.
 *
 *  1. For a version that is the stored one, the store itself: not a byte is touched. Of a kind that was defined at run time,
 *     what may have been written by another schema is read again by the present one.
 *  2. Entries and events keep their identity: an entry has one view in each version, made when it is first looked at.
 *  3. Keys, revisions and the order of things are the store's own.
 */
import { encode, parse } from '../codec/codec.ts'
import type { AnyKind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import { createReport } from '../kernel/read.ts'
import { fromStored, toStored } from '../kinds/kinds.ts'
import type { Entry, Page, StoreEvent } from '../store/store.ts'
import type { WatchCache } from '../watch/watch.ts'
import { convertingView } from './converting-view.ts'
import { prefixOf } from './keys.ts'
import { markOutdated } from './outdated.ts'

const views = new WeakMap<WatchCache, WeakMap<AnyKind, WatchCache>>()

/** The view that requests about `kind` work with: one for each store and kind. */
export function storeOf(kind: AnyKind, store: WatchCache): WatchCache {
  if (kind.storage === undefined && kind.custom === undefined) return store
  const known = views.get(store) ?? new WeakMap<AnyKind, WatchCache>()
  views.set(store, known)
  const view = known.get(kind) ?? viewOf(kind, store)
  known.set(kind, view)
  return view
}

function viewOf(kind: AnyKind, store: WatchCache): WatchCache {
  const convert = kind.custom?.convert
  if (convert !== undefined) return convertingView(kind, convert, store)
  const prefix = prefixOf({ kind })
  const entries = new WeakMap<Entry, Entry>()
  const events = new WeakMap<StoreEvent, StoreEvent>()
  const seen = (entry: Entry): Entry => {
    if (!entry.key.startsWith(prefix) || isCurrent(kind, entry)) return entry
    return memoised(entries, entry, () => inVersion(kind, entry))
  }
  const stored = (key: string, value: Uint8Array): Uint8Array =>
    key.startsWith(prefix) && kind.storage !== undefined ? inward(kind, value) : value
  const happened = (event: StoreEvent): StoreEvent =>
    memoised(events, event, () => ({
      ...event,
      ...(event.entry && { entry: seen(event.entry) }),
      ...(event.previous && { previous: seen(event.previous) }),
    }))
  const page = ({ entries: found, revision, remaining }: Page): Page => ({
    entries: found.map(seen),
    revision,
    remaining,
  })
  const maybe = (entry: Entry | undefined) => entry && seen(entry)
  return {
    get current() {
      return store.current
    },
    get fresh() {
      return store.fresh
    },
    peek: (key) => maybe(store.peek(key)),
    stale: (...args) => page(store.stale(...args)),
    reached: (...args) => store.reached(...args),
    get: async (key) => maybe(await store.get(key)),
    list: async (...args) => page(await store.list(...args)),
    create: async (key, value) => seen(await store.create(key, stored(key, value))),
    update: async (key, expected, value) =>
      seen(await store.update(key, expected, stored(key, value))),
    delete: async (...args) => happened(await store.delete(...args)),
    async *watch(...args) {
      for await (const batch of store.watch(...args)) yield batch.map(happened)
    },
    revision: () => store.revision(),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
  }
}

function inVersion(kind: AnyKind, entry: Entry): Entry {
  const value = outward(kind, entry.value)
  if (Buffer.compare(value, entry.value) === 0) return entry
  const seen = { ...entry, value }
  return kind.storage === undefined ? markOutdated(seen) : seen
}

/** True for an entry that was written in this version and by its present schema. */
function isCurrent({ storage, custom }: AnyKind, { revision }: Entry): boolean {
  return storage === undefined && custom !== undefined && revision > custom.reread
}

function memoised<K extends object>(memo: WeakMap<K, K>, key: K, make: () => K): K {
  const known = memo.get(key)
  if (known !== undefined) return known
  const made = make()
  memo.set(key, made)
  return made
}

function outward(kind: AnyKind, value: Uint8Array): Uint8Array {
  const object = parse(value) as unknown as ApiObject
  if (kind.storage !== undefined) return encode(fromStored(kind, object))
  return encode(kind.read({ ...object }, createReport()))
}

function inward(kind: AnyKind, value: Uint8Array): Uint8Array {
  return encode(toStored(kind, parse(value) as unknown as ApiObject))
}
