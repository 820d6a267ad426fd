import type { Entry, LogStore, Revision } from '../store/store.ts'
import { createBTree } from './btree.ts'
import type { CacheSnapshot, WatchCacheOptions } from './contract.ts'
import { slabAllocator } from './slabs.ts'
import { prefixOf } from './uncached.ts'

/** Where a page that is read at start ends. */
const startPage = { limit: 1024, bytes: 2 * 1024 * 1024, uncounted: true }

/** What the store holds at a revision, without what is not kept. */
export async function readSnapshot(
  store: LogStore,
  revision: Revision,
  options: WatchCacheOptions,
): Promise<CacheSnapshot> {
  const stamped: Entry[] = []
  const allocate = slabAllocator()
  const { uncached = [] } = options
  for (let [more, after] = [true, '']; more; ) {
    const page = await store.list('', { ...startPage, revision, ...(after && { after }) })
    for (const entry of page.entries) {
      if (prefixOf(entry.key, uncached) === undefined)
        stamped.push(stampEntry(entry, options, allocate))
    }
    more = page.remaining > 0 && page.entries.length > 0
    after = page.entries.at(-1)?.key ?? ''
    const skipped = prefixOf(after, uncached)
    if (skipped !== undefined) after = `${skipped}\u{10ffff}`
  }
  return {
    tree: createBTree(stamped),
    entries: new Map(stamped.map((entry) => [entry.key, entry])),
    revision,
  }
}

/** The entry as readers get it. */
export function stampEntry(
  entry: Entry,
  { stampResourceVersion: stamp }: Pick<WatchCacheOptions, 'stampResourceVersion'>,
  allocate?: (bytes: number) => Buffer,
): Entry {
  return stamp === undefined
    ? entry
    : { ...entry, value: stamp(entry.value, entry.revision, allocate) }
}
