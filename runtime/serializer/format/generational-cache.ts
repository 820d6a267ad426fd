/**
 * A cache of what is expensive to make of objects, keyed by their identity. Two generations hold up to half of `bytes` each;
 * when the young one is full it becomes the old one, and what was not used since is dropped. Entries also go when their
 * object does. Costs two map lookups where a list of least recently used entries would need links for each.
 */
export class GenerationalCache<K extends object, V> {
  readonly #make: (key: K) => V
  readonly #sizeOf: (value: V) => number
  readonly #half: number
  #young = new WeakMap<K, V>()
  #old = this.#young
  #bytes = 0

  constructor(bytes: number, sizeOf: (value: V) => number, make: (key: K) => V = noFactory) {
    this.#half = bytes / 2
    this.#sizeOf = sizeOf
    this.#make = make
  }

  /** The cached value of `key`, or the one that `make` gives. `make` must give equal values for equal keys. */
  get(key: K, make = this.#make): V {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const value = this.#old.get(key) ?? make(key)
    this.#bytes += this.#sizeOf(value)
    if (this.#bytes > this.#half) {
      this.#old = this.#young
      this.#young = new WeakMap()
      this.#bytes = this.#sizeOf(value)
    }
    this.#young.set(key, value)
    return value
  }
}

function noFactory(): never {
  throw new Error('a cache without a factory needs `make` at each call')
}
