import type { Entry, Page, Revision } from '../store/store.ts'
import { type BTree, count, runs } from './btree.ts'

/**
 * A page of a tree. Its entries are joined into one array when they are first read so. Both are getters, so that a copy by
 * spread has neither: one with other entries must not keep the runs of these.
 */
class BTreePage implements Page {
  readonly revision: Revision
  readonly remaining: number
  readonly #runs: readonly (readonly Entry[])[]
  #entries: readonly Entry[] | undefined

  constructor(runs: readonly (readonly Entry[])[], revision: Revision, remaining: number) {
    this.#runs = runs
    this.revision = revision
    this.remaining = remaining
  }

  get runs(): readonly (readonly Entry[])[] {
    return this.#runs
  }

  get entries(): readonly Entry[] {
    this.#entries ??= this.#runs.flat()
    return this.#entries
  }
}

/** The entries of a tree under a prefix, after a key, at most so many. */
export function listPage(
  tree: BTree,
  revision: Revision,
  prefix: string,
  after?: string,
  limit?: number,
): Page {
  const found = runs(tree, prefix, after, limit)
  if (limit === undefined) return new BTreePage(found, revision, 0)
  const length = found.reduce((sum, run) => sum + run.length, 0)
  const remaining = length < limit ? 0 : count(tree, prefix, found.at(-1)?.at(-1)?.key ?? after)
  return new BTreePage(found, revision, remaining)
}
