import { invariant } from '../kernel/errors/invariant.ts'
import type { Entry, LogStore, Page, Revision } from '../store/store.ts'
import { createBTree } from './btree.ts'
import type { CacheSnapshot, WatchCacheOptions } from './contract.ts'
import { slabAllocator } from './slabs.ts'
import { prefixOf } from './uncached.ts'
import { type Stamp, UnstampedPage } from './unstamped-page.ts'

/** Where a page that is read at start ends. */
const startPage = { limit: 1024, bytes: 2 * 1024 * 1024, uncounted: true }

/** Bytes of values that are stamped before the cache is there: a small store is ready when it is read. */
const stampedAtOnce = 16 * 1024 * 1024

/** What a cache begins with. */
export interface StartSnapshot extends CacheSnapshot {
  /** Entries whose values are to be asked for, since that is work that is done once for each. */
  readonly unsettled: readonly Entry[]
}

/** What the store holds, without what is not kept: as of a revision, or of the latest. Of a large store most is stamped later. */
export async function readSnapshot(
  store: LogStore,
  revision: Revision,
  options: WatchCacheOptions,
): Promise<StartSnapshot> {
  const { stampResourceVersion: stamp, checkStored: check, uncached: except } = options
  const all = await store.readAll?.({
    ...(stamp && { stamp }),
    ...(check && { check }),
    ...(except && { except }),
  })
  if (all === undefined) return readPages(store, revision, options)
  const isLarge = all.bytes > stampedAtOnce
  if (!isLarge) all.entries.forEach(settleEntry)
  return startSnapshot(all.entries, all.revision, isLarge ? all.entries : [])
}

/** Has a value made that is made when it is asked for. */
export function settleEntry({ value }: Entry): void {
  invariant(value instanceof Uint8Array, 'an entry has a value')
}

function startSnapshot(
  entries: readonly Entry[],
  revision: Revision,
  unsettled: readonly Entry[],
): StartSnapshot {
  const byKey = new Map<string, Entry>()
  for (const entry of entries) byKey.set(entry.key, entry)
  return { tree: createBTree(entries), entries: byKey, revision, unsettled }
}

async function readPages(
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
  readonly #unsettled: Entry[] = []
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
      for (const entry of new UnstampedPage(stored, stamp).entries) {
        this.#all.push(entry)
        this.#unsettled.push(entry)
      }
    }
  }

  at(revision: Revision): StartSnapshot {
    return startSnapshot(this.#all, revision, this.#unsettled)
  }

  readonly #stamp = (value: Uint8Array, revision: Revision): Uint8Array =>
    this.#options.stampResourceVersion?.(value, revision, this.#allocate) ?? value
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
