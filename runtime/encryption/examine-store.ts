import { errorText } from '../kernel/errors/error-text.ts'
import type { LogStore, Revision } from '../store/store.ts'

/** What a store holds, by one set of rules. */
export interface ExaminedStore {
  /** Keys whose latest value would be stored otherwise. */
  readonly outdated: Set<string>
  /** Why some latest values cannot be decrypted. */
  readonly unreadable: readonly string[]
  /** What was alive at this revision or later can be decrypted. */
  readonly readableFrom: Revision
}

/** Entries that are read at once. */
const pageSize = 500

/** Looks at every value that the store has, its history included. `isOutdated` throws for one that cannot be decrypted. */
export async function examineStore(
  store: LogStore,
  isOutdated: (key: string, stored: Uint8Array) => boolean,
): Promise<ExaminedStore> {
  const outdated = new Set<string>()
  const unreadable = new Map<string, string>()
  let readableFrom = 0
  const examine = (key: string, stored: Uint8Array | undefined, revision: Revision): void => {
    if (unreadable.delete(key)) readableFrom = revision
    outdated.delete(key)
    if (stored === undefined) return
    try {
      if (isOutdated(key, stored)) outdated.add(key)
    } catch (error) {
      unreadable.set(key, errorText(error))
    }
  }
  const start = store.compactedRevision()
  const latest = await store.revision()
  await eachEntry(store, start, (key, stored) => examine(key, stored, start))
  await eachChange(store, start, latest, examine)
  return { outdated, unreadable: [...unreadable.values()], readableFrom }
}

/** Every entry that was alive at a revision. */
async function eachEntry(
  store: LogStore,
  revision: Revision,
  visit: (key: string, stored: Uint8Array) => void,
): Promise<void> {
  let after: string | undefined
  do {
    const options = { revision, limit: pageSize, ...(after !== undefined && { after }) }
    const { entries, remaining } = await store.list('', options)
    for (const { key, value } of entries) visit(key, value)
    after = remaining === 0 ? undefined : entries.at(-1)?.key
  } while (after !== undefined)
}

/** Every change after a revision, up to another one. */
async function eachChange(
  store: LogStore,
  after: Revision,
  latest: Revision,
  visit: (key: string, stored: Uint8Array | undefined, revision: Revision) => void,
): Promise<void> {
  if (latest <= after) return
  const stop = new AbortController()
  for await (const changes of store.changes(after, stop.signal)) {
    for (const { key, value, revision } of changes) visit(key, value, revision)
    if ((changes.at(-1)?.revision ?? 0) >= latest) break
  }
  stop.abort()
}
