import type { Revision } from '../store/store.ts'
import { type BTree, put, remove } from './btree.ts'
import type { EventHistory } from './event-history.ts'

/** Clients that page at once; beyond, a page costs the walk back through the events since its first one. */
const maxSnapshots = 64

/** Trees of past revisions: those of lists that are read page by page, and any other by walking back from the nearest. */
export class Snapshots {
  readonly #trees = new Map<Revision, BTree>()

  /** The tree as it was at a revision that the history reaches back to. */
  at(revision: Revision, current: BTree, latest: Revision, history: EventHistory): BTree {
    if (revision === latest) return current
    const known = this.#trees.get(revision)
    if (known !== undefined) return known
    const nearest = this.#after(revision)
    const from = nearest?.[0] ?? latest
    return rewind(nearest?.[1] ?? current, from, revision, history)
  }

  /** Holds a tree for the pages to come. */
  keep(revision: Revision, tree: BTree): void {
    this.#trees.delete(revision)
    this.#trees.set(revision, tree)
    const [oldest] = this.#trees.keys()
    if (this.#trees.size > maxSnapshots && oldest !== undefined) this.#trees.delete(oldest)
  }

  /** Drops what is older than `revision`. */
  forget(revision: Revision): void {
    for (const known of this.#trees.keys()) if (known < revision) this.#trees.delete(known)
  }

  /** The nearest tree of a later revision. */
  #after(revision: Revision): [Revision, BTree] | undefined {
    const later = [...this.#trees].filter(([known]) => known > revision)
    return later.reduce<[Revision, BTree] | undefined>(
      (best, next) => (best === undefined || next[0] < best[0] ? next : best),
      undefined,
    )
  }
}

/** The tree as it was, by undoing events from the newest back. */
function rewind(tree: BTree, from: Revision, to: Revision, history: EventHistory): BTree {
  let result = tree
  for (let revision = from; revision > to; revision--) {
    const event = history.at(revision)
    if (event === undefined) break
    const { key, previous } = event
    result = previous === undefined ? remove(result, key) : put(result, previous)
  }
  return result
}
