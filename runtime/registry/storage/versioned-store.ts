/**
 * The store in one version of a kind. Where that version is not the stored one, entries are converted on the way
 * out and values on the way in; everything else in this module works in the version of the request.
 *
 *  1. For a version that is the stored one, the store itself: not a byte is touched. Of a kind that was defined at run time,
 *     what may have been written by another schema is read again by the present one.
 *  2. Entries and events keep their identity: an entry has one view in each version, made when it is first looked at.
 *  3. Keys, revisions and the order of things are the store's own.
 */

import { fromStorageVersion, toStorageVersion } from '../../apis/apis.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { encodeJson, parseTrustedJson } from '../../serializer/serializer.ts'
import type { Entry, Page, StoreEvent } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'
import { convertingStore } from './converting-store.ts'
import { collectionPrefix } from './keys.ts'
import { markNeedsRewrite } from './needs-rewrite.ts'

/** The views of a store, one for each kind: entries keep their identity between requests. */
const views = new WeakMap<WatchCache, WeakMap<AnyKind, WatchCache>>()

/** The view that requests about `kind` work with: one for each store and kind. */
export function versionedStore(kind: AnyKind, store: WatchCache): WatchCache {
  if (kind.storageVersion === undefined && kind.customResource === undefined) return store
  const known = views.get(store) ?? new WeakMap<AnyKind, WatchCache>()
  views.set(store, known)
  const view = known.get(kind) ?? convertedBySchema(kind, store)
  known.set(kind, view)
  return view
}

/** A view whose versions differ by conversions of the schema, which need no waiting. */
function convertedBySchema(kind: AnyKind, store: WatchCache): WatchCache {
  const convert = kind.customResource?.convert
  if (convert !== undefined) return convertingStore(kind, convert, store)
  const prefix = collectionPrefix({ kind })
  const entries = new WeakMap<Entry, Entry>()
  const events = new WeakMap<StoreEvent, StoreEvent>()
  const seen = (entry: Entry): Entry => {
    if (!entry.key.startsWith(prefix) || isCurrent(kind, entry)) return entry
    return memoised(entries, entry, () => inVersionOf(kind, entry))
  }
  const stored = (key: string, value: Uint8Array): Uint8Array =>
    key.startsWith(prefix) && kind.storageVersion !== undefined ? encodeStored(kind, value) : value
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
    get currentRevision() {
      return store.currentRevision
    },
    get isFresh() {
      return store.isFresh
    },
    getCached: (key) => maybe(store.getCached(key)),
    listCached: (...args) => page(store.listCached(...args)),
    waitForRevision: (...args) => store.waitForRevision(...args),
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

/** The entry in the version of the kind; the very same one if its bytes do not differ. */
function inVersionOf(kind: AnyKind, entry: Entry): Entry {
  const value = decodeStored(kind, entry.value)
  if (Buffer.compare(value, entry.value) === 0) return entry
  const seen = { ...entry, value }
  return kind.storageVersion === undefined ? markNeedsRewrite(seen) : seen
}

/** True for an entry that was written in this version and by its present schema. */
function isCurrent(
  { storageVersion: storage, customResource: custom }: AnyKind,
  { revision }: Entry,
): boolean {
  return storage === undefined && custom !== undefined && revision > custom.rereadUpToRevision
}

/** What was made of a key before, or what is made of it now. */
function memoised<K extends object>(memo: WeakMap<K, K>, key: K, make: () => K): K {
  const known = memo.get(key)
  if (known !== undefined) return known
  const made = make()
  memo.set(key, made)
  return made
}

/** Stored bytes in the version of the kind, canonical. */
function decodeStored(kind: AnyKind, value: Uint8Array): Uint8Array {
  const object = parseTrustedJson(value) as unknown as ApiObject
  if (kind.storageVersion !== undefined) return encodeJson(fromStorageVersion(kind, object))
  return encodeJson(kind.read({ ...object }, createReport()))
}

/** The bytes to store of an object in the version of the kind. */
function encodeStored(kind: AnyKind, value: Uint8Array): Uint8Array {
  return encodeJson(toStorageVersion(kind, parseTrustedJson(value) as unknown as ApiObject))
}
