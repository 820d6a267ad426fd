import { type Entry, grown, type LogStore, type Page, type Revision } from '../store/store.ts'
import { createBTree } from './btree.ts'
import type { CacheSnapshot, WatchCacheOptions } from './contract.ts'
import { slabAllocator } from './slabs.ts'
import { prefixOf } from './uncached.ts'
import { type Stamp, UnstampedPage } from './unstamped-page.ts'

/** Where a page that is read at start ends. */
const startPage = { limit: 1024, bytes: 2 * 1024 * 1024, uncounted: true }

/** Bytes of values that are stamped while they are read: a small store is ready when it is read. */
const stampedAtOnce = 16 * 1024 * 1024

/** What a cache begins with, and what of it is still to be stamped. */
export interface StartSnapshot extends CacheSnapshot {
  readonly unstamped: readonly UnstampedPage[]
}

/** What the store holds at a revision, without what is not kept. Of a large store most is stamped later. */
export async function readSnapshot(
  store: LogStore,
  revision: Revision,
  options: WatchCacheOptions,
): Promise<StartSnapshot> {
  const found = new FoundEntries(options)
  const { uncached = [] } = options
  const read = (after: string) =>
    store.list('', { ...startPage, revision, ...(after && { after }) })
  for (let next: Promise<Page> | undefined = read(''); next !== undefined; ) {
    const page: Page = await next
    const after = followedBy(page, uncached)
    // The database reads the next page while this one is worked on.
    next = after === undefined ? undefined : read(after)
    next?.catch(() => {})
    const isKept = ({ key }: Entry): boolean => prefixOf(key, uncached) === undefined
    found.add(uncached.length === 0 ? page.entries : page.entries.filter(isKept))
  }
  return found.at(revision)
}

/** What was read so far, as readers get it. */
class FoundEntries {
  readonly #options: WatchCacheOptions
  readonly #all: Entry[] = []
  readonly #unstamped: UnstampedPage[] = []
  readonly #allocate = slabAllocator()
  #bytes = 0

  constructor(options: WatchCacheOptions) {
    this.#options = options
  }

  add(stored: readonly Entry[]): void {
    const { stampResourceVersion, checkStored: check } = this.#options
    for (const { value } of stored) {
      check?.(value)
      this.#bytes += value.length
    }
    const stamp = stampResourceVersion && this.#stamp
    if (stamp === undefined || this.#bytes <= stampedAtOnce) {
      for (const entry of stored) this.#all.push(stampEntry(entry, { stampResourceVersion: stamp }))
    } else {
      const page = new UnstampedPage(stored, stamp)
      this.#unstamped.push(page)
      for (const entry of page.entries) this.#all.push(entry)
    }
  }

  at(revision: Revision): StartSnapshot {
    const entries = new Map<string, Entry>()
    for (const entry of this.#all) entries.set(entry.key, entry)
    return { tree: createBTree(this.#all), entries, revision, unstamped: this.#unstamped }
  }

  /** Stamps a value where it stands, if there is room, so that what was read is not kept beside what was made of it. */
  readonly #stamp = (value: Uint8Array, revision: Revision): Uint8Array => {
    const place = (bytes: number): Buffer => grown(value, bytes) ?? this.#allocate(bytes)
    return this.#options.stampResourceVersion?.(value, revision, place) ?? value
  }
}

/** The key after which the page begins that follows, behind what is not kept; undefined if nothing follows. */
function followedBy({ entries, remaining }: Page, uncached: readonly string[]): string | undefined {
  const last = entries.at(-1)?.key
  if (remaining === 0 || last === undefined) return undefined
  const skipped = prefixOf(last, uncached)
  return skipped === undefined ? last : `${skipped}\u{10ffff}`
}

/** The entry as readers get it. */
export function stampEntry(
  entry: Entry,
  { stampResourceVersion: stamp }: { readonly stampResourceVersion?: Stamp | undefined },
): Entry {
  if (stamp === undefined) return entry
  const { key, revision, createRevision, value } = entry
  return { key, revision, createRevision, value: stamp(value, revision) }
}
