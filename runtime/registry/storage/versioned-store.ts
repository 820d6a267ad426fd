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
import type { Entry, Page, Revision, StoreEvent } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'
import { ConvertingStore } from './converting-store.ts'
import { collectionPrefix } from './keys.ts'
import { markNeedsRewrite } from './needs-rewrite.ts'
import { StoreView } from './store-view.ts'

/** The views of a store, one for each kind: entries keep their identity between requests. */
const views = new WeakMap<WatchCache, WeakMap<AnyKind, WatchCache>>()

/** The view that requests about `kind` work with: one for each store and kind. */
export function versionedStore(kind: AnyKind, store: WatchCache): WatchCache {
  if (kind.storageVersion === undefined && kind.customResource === undefined) return store
  const known = views.get(store) ?? new WeakMap<AnyKind, WatchCache>()
  views.set(store, known)
  const view = known.get(kind) ?? viewOf(kind, store)
  known.set(kind, view)
  return view
}

function viewOf(kind: AnyKind, store: WatchCache): WatchCache {
  const convert = kind.customResource?.convert
  return convert === undefined
    ? new SchemaConvertedStore(kind, store)
    : new ConvertingStore(kind, convert, store)
}

/** The store in a version that differs by conversions of the schema, or by its present schema: nothing is waited for. */
class SchemaConvertedStore extends StoreView {
  readonly #kind: AnyKind
  readonly #prefix: string
  readonly #entries = new WeakMap<Entry, Entry>()
  readonly #events = new WeakMap<StoreEvent, StoreEvent>()

  constructor(kind: AnyKind, store: WatchCache) {
    super(store)
    this.#kind = kind
    this.#prefix = collectionPrefix({ kind })
  }

  getCached(key: string): Entry | undefined {
    return this.#entryIfThere(this.store.getCached(key))
  }

  listCached(...args: Parameters<WatchCache['listCached']>): Page {
    return this.#page(this.store.listCached(...args))
  }

  async get(key: string): Promise<Entry | undefined> {
    return this.#entryIfThere(await this.store.get(key))
  }

  async list(...args: Parameters<WatchCache['list']>): Promise<Page> {
    return this.#page(await this.store.list(...args))
  }

  async create(key: string, value: Uint8Array): Promise<Entry> {
    return this.#entry(await this.store.create(key, this.#toStorage(key, value)))
  }

  async update(key: string, expected: Revision, value: Uint8Array): Promise<Entry> {
    return this.#entry(await this.store.update(key, expected, this.#toStorage(key, value)))
  }

  async delete(...args: Parameters<WatchCache['delete']>): Promise<StoreEvent> {
    return this.#event(await this.store.delete(...args))
  }

  async *watch(...args: Parameters<WatchCache['watch']>): AsyncGenerator<readonly StoreEvent[]> {
    for await (const batch of this.store.watch(...args)) {
      yield batch.map((event) => this.#event(event))
    }
  }

  #entry(entry: Entry): Entry {
    if (!entry.key.startsWith(this.#prefix) || isCurrent(this.#kind, entry)) return entry
    return memoised(this.#entries, entry, () => inVersionOf(this.#kind, entry))
  }

  #entryIfThere(entry: Entry | undefined): Entry | undefined {
    return entry && this.#entry(entry)
  }

  /** Runs are left out: they are arrays of the store's own entries. */
  #page({ entries, revision, remaining }: Page): Page {
    return { entries: entries.map((entry) => this.#entry(entry)), revision, remaining }
  }

  #event(event: StoreEvent): StoreEvent {
    const { entry, previous } = event
    return memoised(this.#events, event, () => ({
      ...event,
      ...(entry && { entry: this.#entry(entry) }),
      ...(previous && { previous: this.#entry(previous) }),
    }))
  }

  #toStorage(key: string, value: Uint8Array): Uint8Array {
    const converts = key.startsWith(this.#prefix) && this.#kind.storageVersion !== undefined
    return converts ? encodeStored(this.#kind, value) : value
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
