import type { Entry, Revision } from '../store/store.ts'

/** Gives the value that readers get of a stored one. */
export type Stamp = (value: Uint8Array, revision: Revision) => Uint8Array

/**
 * Entries that were read together, whose values are stamped together once one of them is asked for: a start with many objects does not wait for
 * that, and what was read is never kept beside what was made of it.
 */
export class UnstampedPage {
  readonly entries: readonly Entry[]
  readonly #unstamped: readonly UnstampedEntry[]
  readonly #stamp: Stamp

  constructor(stored: readonly Entry[], stamp: Stamp) {
    this.#unstamped = stored.map((entry) => new UnstampedEntry(entry, this))
    this.entries = this.#unstamped
    this.#stamp = stamp
  }

  /** Stamps what is not stamped yet. */
  stamp(): void {
    for (const entry of this.#unstamped) entry.stamp(this.#stamp)
  }
}

class UnstampedEntry implements Entry {
  readonly key: string
  readonly revision: Revision
  readonly createRevision: Revision
  #value: Uint8Array
  #page: UnstampedPage | undefined

  constructor({ key, revision, createRevision, value }: Entry, page: UnstampedPage) {
    this.key = key
    this.revision = revision
    this.createRevision = createRevision
    this.#value = value
    this.#page = page
  }

  get value(): Uint8Array {
    this.#page?.stamp()
    return this.#value
  }

  stamp(stamp: Stamp): void {
    if (this.#page === undefined) return
    this.#value = stamp(this.#value, this.revision)
    this.#page = undefined
  }
}
