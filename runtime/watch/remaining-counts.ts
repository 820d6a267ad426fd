import type { Entry, Revision } from '../store/store.ts'

/** Clients that page at once; beyond, a page is counted anew. */
const maxPlaces = 64

/** A page that does not end its list. */
interface ReadPage {
  readonly prefix: string
  readonly revision: Revision
  /** Behind which key it begins. */
  readonly after: string | undefined
  readonly entries: readonly Entry[]
}

/** How much of a list comes after its pages: counted once, behind the first page; what follows a later one is less by as much as it has. */
export class RemainingCounts {
  readonly #places = new Map<string, number>()

  /** What comes after a page. `count` counts what comes after a key. */
  async after(
    { prefix, revision, after, entries }: ReadPage,
    count: (key: string) => Promise<number>,
  ): Promise<number> {
    const last = entries.at(-1)?.key ?? after ?? ''
    const before =
      after === undefined ? undefined : this.#places.get(place(revision, prefix, after))
    const remaining = before === undefined ? await count(last) : before - entries.length
    this.#places.set(place(revision, prefix, last), remaining)
    const [oldest] = this.#places.keys()
    if (this.#places.size > maxPlaces && oldest !== undefined) this.#places.delete(oldest)
    return remaining
  }
}

function place(revision: Revision, prefix: string, key: string): string {
  return `${revision} ${prefix} ${key}`
}
