import type { StoredObject } from './plugin-context.ts'

/** A cache of what stored objects parse to: each version of an object is parsed once, and forgotten with it. */
export class ParsedObjects<T> {
  readonly #parse: (stored: StoredObject) => T
  readonly #parsed = new WeakMap<StoredObject, { readonly value: T }>()

  constructor(parse: (stored: StoredObject) => T) {
    this.#parse = parse
  }

  /** What the version parses to. An error of `parse` is thrown again at each call. */
  get(stored: StoredObject): T {
    const parsed = this.#parsed.get(stored) ?? { value: this.#parse(stored) }
    this.#parsed.set(stored, parsed)
    return parsed.value
  }

  /** True if the version is parsed already, so that `get` costs a lookup. */
  has(stored: StoredObject): boolean {
    return this.#parsed.has(stored)
  }
}
