import type { Revision } from '../store/store.ts'
import type { History } from './history.ts'
import { put, remove, type Tree } from './tree.ts'

/** Clients that page at once; beyond, a page costs the walk back through the events since its first one. */
const kept = 64

/** Trees of past revisions: those that somebody is paging through, and any other by walking back from the nearest. */
export class Snapshots {
  readonly #trees = new Map<Revision, Tree>()

  /** The tree as it was at a revision that the history reaches back to. */
  at(revision: Revision, current: Tree, latest: Revision, history: History): Tree {
    if (revision === latest) return current
    const known = this.#trees.get(revision)
    if (known !== undefined) return known
    const nearest = this.#after(revision)
    const from = nearest?.[0] ?? latest
    return undo(nearest?.[1] ?? current, from, revision, history)
  }

  /** Holds a tree for the pages to come. */
  keep(revision: Revision, tree: Tree): void {
    this.#trees.delete(revision)
    this.#trees.set(revision, tree)
    const [oldest] = this.#trees.keys()
    if (this.#trees.size > kept && oldest !== undefined) this.#trees.delete(oldest)
  }

  /** Lets go what is older than `revision`. */
  forget(revision: Revision): void {
    for (const known of this.#trees.keys()) if (known < revision) this.#trees.delete(known)
  }

  #after(revision: Revision): [Revision, Tree] | undefined {
    const later = [...this.#trees].filter(([known]) => known > revision)
    return later.reduce<[Revision, Tree] | undefined>(
      (best, next) => (best === undefined || next[0] < best[0] ? next : best),
      undefined,
    )
  }
}

function undo(tree: Tree, from: Revision, to: Revision, history: History): Tree {
  let result = tree
  for (let revision = from; revision > to; revision--) {
    const event = history.at(revision)
    if (event === undefined) break
    const { key, previous } = event
    result = previous === undefined ? remove(result, key) : put(result, previous)
  }
  return result
}
