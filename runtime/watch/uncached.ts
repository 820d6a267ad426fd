import {
  type Change,
  type Entry,
  type ListOptions,
  type LogStore,
  type Page,
  type Revision,
  replacedVersion,
} from '../store/store.ts'
import { RemainingCounts } from './remaining-counts.ts'

/** Where one read of the store ends: between two, others have their turn. */
const pageLimit = 1024
const pageBytes = 2 * 1024 * 1024

/** Bytes of entries that were read and may be replaced by their readers next. */
const recentBytes = 4 * 1024 * 1024

/** The keys whose entries a cache does not keep: they are counted, and read from the store in pages. */
export class Uncached {
  readonly #store: LogStore
  readonly #counts: Map<string, number>
  readonly #remaining = new RemainingCounts()
  /** What was read last, by revision, the oldest first: an update needs again what it was made of. */
  readonly #recent = new Map<Revision, Entry>()
  #recentBytes = 0

  /** `counts`: how many entries each prefix has. */
  constructor(store: LogStore, counts: ReadonlyMap<string, number>) {
    this.#store = store
    this.#counts = new Map(counts)
  }

  /** True if nothing is read from the store. */
  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  /** True for a key, or a prefix, of which nothing is kept. */
  has(key: string): boolean {
    return prefixOf(key, this.#counts.keys()) !== undefined
  }

  /** True for a prefix of which something is not kept. */
  concerns(prefix: string): boolean {
    if (this.has(prefix)) return true
    return [...this.#counts.keys()].some((one) => one.startsWith(prefix))
  }

  /** How many entries one of the prefixes has; undefined for any other. */
  count(prefix: string): number | undefined {
    return this.#counts.get(prefix)
  }

  /** Remembers an entry as the store gave it, for a change that replaces it soon. */
  hasRead(entry: Entry): void {
    this.#forget(entry.revision)
    this.#recent.set(entry.revision, entry)
    this.#recentBytes += entry.value.length
    for (const revision of this.#recent.keys()) {
      if (this.#recentBytes <= recentBytes) return
      this.#forget(revision)
    }
  }

  #forget(revision: Revision): void {
    this.#recentBytes -= this.#recent.get(revision)?.value.length ?? 0
    this.#recent.delete(revision)
  }

  /** Counts what a change made or removed. */
  changed({ key, previousRevision, value }: Change): void {
    const prefix = prefixOf(key, this.#counts.keys())
    if (prefix === undefined) return
    this.#forget(previousRevision)
    const more = (value === undefined ? 0 : 1) - (previousRevision === 0 ? 0 : 1)
    this.#counts.set(prefix, (this.#counts.get(prefix) ?? 0) + more)
  }

  /**
   * What changes replaced that were before all of them and that `known` does not have, by revision. @throws StoreError `Expired` for what was
   * compacted.
   */
  async replaced(
    changes: readonly Change[],
    known: (revision: Revision) => Entry | undefined,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Revision, Entry>> {
    const first = changes[0]?.revision ?? 0
    const wanted = changes
      .filter(({ key, previousRevision: old }) => old > 0 && old < first && this.has(key))
      .map(({ previousRevision }) => previousRevision)
      .filter((revision) => known(revision) === undefined)
    const found = new Map<Revision, Entry>()
    for (const revision of wanted) {
      const entry = this.#recent.get(revision)
      if (entry !== undefined) found.set(revision, entry)
    }
    const missing = wanted.filter((revision) => !found.has(revision))
    if (missing.length === 0) return found
    const versions = await this.#store.replaced(missing, signal)
    for (const revision of missing) found.set(revision, replacedVersion(revision, versions))
    return found
  }

  /** A list as the store gives it, all of it as of one revision. */
  async list(prefix: string, options: ListOptions): Promise<Page> {
    const { after, limit = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY } = options
    const entries: Entry[] = []
    let { revision } = options
    let size = 0
    for (;;) {
      const last = entries.at(-1)?.key ?? after
      const page = await this.#store.list(prefix, {
        limit: Math.min(limit - entries.length, pageLimit),
        bytes: Math.min(bytes - size, pageBytes),
        uncounted: true,
        ...(last !== undefined && { after: last }),
        ...(revision !== undefined && { revision }),
      })
      revision = page.revision
      for (const entry of page.entries) {
        size += entry.value.length
        entries.push(entry)
      }
      if (page.remaining === 0 || page.entries.length === 0) {
        return { entries, revision, remaining: 0 }
      }
      // A read that was to have so many bytes may end a little before it has them.
      if (entries.length >= limit || size >= bytes / 2) break
    }
    const remaining = options.uncounted
      ? 1
      : await this.#remaining.after({ prefix, revision, after, entries }, (key) =>
          this.#countAfter(prefix, key, revision),
        )
    return { entries, revision, remaining }
  }

  async #countAfter(prefix: string, after: string, revision: Revision): Promise<number> {
    const page = await this.#store.list(prefix, { after, revision, limit: 1 })
    return page.entries.length + page.remaining
  }
}

/** The prefix that a key begins with, of those that are given. */
export function prefixOf(key: string, prefixes: Iterable<string>): string | undefined {
  for (const prefix of prefixes) if (key.startsWith(prefix)) return prefix
  return undefined
}
