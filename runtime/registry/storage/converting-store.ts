/**
 * The store in one version of a kind whose versions a webhook converts.
 *
 *  1. An entry in another version is converted when it is first read, together with everything else that is read at that
 *     time; it is converted once, however many readers wait for it.
 *  2. A conversion that fails fails the request, and is tried again by the next one.
 *  3. Synchronous reads see only those entries converted that have been converted already: `getCached` does not find the
 *     rest, `listCached` returns it as it is stored.
 */

import { type AnyKind, storedKind } from '../../kernel/descriptors/kind.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { encodeJson, parseTrustedJson } from '../../serializer/serializer.ts'
import type { Entry, Page, Revision, StoreEvent } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'
import { collectionPrefix } from './keys.ts'
import { markNeedsRewrite } from './needs-rewrite.ts'
import { StoreView } from './store-view.ts'

/** Converts objects to the version of a kind. */
export type Convert = (objects: readonly ApiObject[]) => Promise<readonly ApiObject[]>

/** A collection, not older than the cache: the entries of `listCached`, all of them converted; what is not cached is read. */
export function listRecent(
  store: WatchCache,
  ...args: Parameters<WatchCache['list']>
): Page | Promise<Page> {
  return mustBeRead(store, args[0]) ? store.list(...args) : store.listCached(...args)
}

/** One entry, not older than the cache. */
export function getRecent(
  store: WatchCache,
  key: string,
): Entry | undefined | Promise<Entry | undefined> {
  return store.getCached(key) ?? (mustBeRead(store, key) ? store.get(key) : undefined)
}

function mustBeRead(store: WatchCache, prefix: string): boolean {
  return store instanceof ConvertingStore || !store.isCached(prefix)
}

/** The store in the version of a kind. Values are written in the storage version: `convert` is for reading only. */
export class ConvertingStore extends StoreView {
  readonly #kind: AnyKind
  readonly #entries: ConvertedEntries

  constructor(kind: AnyKind, convert: Convert, store: WatchCache) {
    super(store)
    this.#kind = kind
    this.#entries = new ConvertedEntries(kind, convert)
  }

  getCached(key: string): Entry | undefined {
    const entry = this.store.getCached(key)
    return entry && this.#entries.known(entry)
  }

  listCached(...args: Parameters<WatchCache['listCached']>): Page {
    const page = this.store.listCached(...args)
    return { ...page, entries: page.entries.map((entry) => this.#entries.known(entry) ?? entry) }
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await this.store.get(key)
    return entry && this.#entries.one(entry)
  }

  async list(...args: Parameters<WatchCache['list']>): Promise<Page> {
    const page = await this.store.list(...args)
    return { ...page, entries: await this.#entries.all(page.entries) }
  }

  async create(key: string, value: Uint8Array): Promise<Entry> {
    return this.#entries.one(await this.store.create(key, await this.#toStorage(key, value)))
  }

  async update(key: string, expected: Revision, value: Uint8Array): Promise<Entry> {
    const stored = await this.#toStorage(key, value)
    return this.#entries.one(await this.store.update(key, expected, stored))
  }

  async delete(...args: Parameters<WatchCache['delete']>): Promise<StoreEvent> {
    const [event] = await this.#entries.events([await this.store.delete(...args)])
    return event as StoreEvent
  }

  async *watch(...args: Parameters<WatchCache['watch']>): AsyncGenerator<readonly StoreEvent[]> {
    for await (const batch of this.store.watch(...args)) yield await this.#entries.events(batch)
  }

  async #toStorage(key: string, value: Uint8Array): Promise<Uint8Array> {
    const stored = storedKind(this.#kind)
    const convert = stored.customResource?.convert
    if (this.#kind === stored || convert === undefined || !this.#entries.concerns(key)) return value
    const [object] = await convert([parseTrustedJson(value) as unknown as ApiObject])
    return encodeJson(stored.read(object as never, createReport()))
  }
}

/** Entries as they look in a version. */
class ConvertedEntries {
  readonly #kind: AnyKind
  readonly #convert: Convert
  readonly #prefix: string
  readonly #head: Buffer
  readonly #entries = new WeakMap<Entry, Entry>()
  readonly #underWay = new WeakMap<Entry, Promise<unknown>>()
  readonly #events = new WeakMap<StoreEvent, StoreEvent>()

  constructor(kind: AnyKind, convert: Convert) {
    this.#kind = kind
    this.#convert = convert
    this.#prefix = collectionPrefix({ kind })
    const head = JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind) })
    this.#head = Buffer.from(`${head.slice(0, -1)},`)
  }

  /** Entries of other kinds pass unchanged. */
  concerns(key: string): boolean {
    return key.startsWith(this.#prefix)
  }

  /** The entry in the version, if it needs no waiting. */
  known(entry: Entry): Entry | undefined {
    if (!this.concerns(entry.key)) return entry
    const known = this.#entries.get(entry)
    if (known !== undefined || !this.#isOwn(entry)) return known
    const current = entry.revision > (this.#kind.customResource?.rereadUpToRevision ?? 0)
    return current
      ? entry
      : this.#keep(entry, parseTrustedJson(entry.value) as unknown as ApiObject)
  }

  /** Entries in the version, in their order. @throws StatusError if the webhook fails. */
  async one(entry: Entry): Promise<Entry> {
    return (await this.all([entry]))[0] as Entry
  }

  async all(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const missing = entries.filter((entry) => this.known(entry) === undefined)
    if (missing.length > 0) await this.#bring(missing)
    return entries.map((entry) => this.known(entry) as Entry)
  }

  /** Events with both states in the version, in their order. */
  async events(events: readonly StoreEvent[]): Promise<readonly StoreEvent[]> {
    await this.all(events.flatMap(({ entry, previous }) => [entry, previous].filter(isThere)))
    return events.map((event) => this.#event(event))
  }

  #event(event: StoreEvent): StoreEvent {
    const known = this.#events.get(event)
    if (known !== undefined) return known
    const { entry, previous } = event
    const made = {
      ...event,
      ...(entry && { entry: this.known(entry) as Entry }),
      ...(previous && { previous: this.known(previous) as Entry }),
    }
    this.#events.set(event, made)
    return made
  }

  /** True for an entry that is stored in the version: its bytes begin with it. */
  #isOwn({ value }: Entry): boolean {
    const head = this.#head
    return value.length > head.length && head.compare(value, 0, head.length) === 0
  }

  /** Converts what no other reader is converting yet, and waits for the rest. */
  async #bring(missing: readonly Entry[]): Promise<void> {
    const others = new Set(missing.flatMap((entry) => this.#underWay.get(entry) ?? []))
    const own = missing.filter((entry) => !this.#underWay.has(entry))
    const work = own.length === 0 ? undefined : this.#work(own)
    for (const entry of work === undefined ? [] : own) this.#underWay.set(entry, work as never)
    try {
      await work
    } finally {
      for (const entry of own) this.#underWay.delete(entry)
    }
    await Promise.all(others)
  }

  async #work(entries: readonly Entry[]): Promise<void> {
    const objects = entries.map(({ value }) => parseTrustedJson(value) as unknown as ApiObject)
    const converted = await this.#convert(objects)
    for (const [index, entry] of entries.entries()) {
      this.#keep(entry, converted[index] as ApiObject)
    }
  }

  /**
   * Remembers the entry in the version. One whose stored bytes a present write would not leave is marked for rewriting.
   */
  #keep(entry: Entry, object: ApiObject): Entry {
    const value = encodeJson(this.#kind.read({ ...object }, createReport()))
    const seen = { ...entry, value }
    const own = this.#kind.storageVersion === undefined && Buffer.compare(value, entry.value) !== 0
    const made = own ? markNeedsRewrite(seen) : seen
    this.#entries.set(entry, made)
    return made
  }
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined
}
