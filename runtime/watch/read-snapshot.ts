import type { Entry, LogStore, Page, Revision } from '../store/store.ts'
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
  const read = (after: string) =>
    store.list('', { ...startPage, revision, ...(after && { after }) })
  for (let next: Promise<Page> | undefined = read(''); next !== undefined; ) {
    const page: Page = await next
    const after = followedBy(page, uncached)
    // The database reads the next page while this one is worked on.
    next = after === undefined ? undefined : read(after)
    next?.catch(() => {})
    for (const entry of page.entries) {
      if (prefixOf(entry.key, uncached) === undefined)
        stamped.push(stampEntry(entry, options, allocate))
    }
  }
  const entries = new Map<string, Entry>()
  for (const entry of stamped) entries.set(entry.key, entry)
  return { tree: createBTree(stamped), entries, revision }
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
  { stampResourceVersion: stamp }: Pick<WatchCacheOptions, 'stampResourceVersion'>,
  allocate?: (bytes: number) => Buffer,
): Entry {
  if (stamp === undefined) return entry
  const { key, revision, createRevision, value } = entry
  return { key, revision, createRevision, value: stamp(value, revision, allocate) }
}
