/**
 * What was made of things not long ago, in two generations of up to half the given number of bytes each: what is not
 * asked for again is forgotten with its generation, and together with the thing that it was made of.
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

  /** What was made of `key`, or is made of it now. */
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
  throw new Error('whoever asks says how it is made')
}
