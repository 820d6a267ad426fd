/** Items of which the first by some order is at hand, and any can be taken out. */
export class Heap<T> {
  readonly #items: T[] = []
  readonly #places = new Map<T, number>()
  readonly #before: (a: T, b: T) => boolean

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before
  }

  get size(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  add(item: T): void {
    this.#put(this.#items.length, item)
    this.#rise(this.#items.length - 1)
  }

  /** Takes an item out; false if it is not there. */
  delete(item: T): boolean {
    const at = this.#places.get(item)
    if (at === undefined) return false
    this.#places.delete(item)
    const last = this.#items.pop()!
    if (last === item) return true
    this.#put(at, last)
    this.#sink(at)
    this.#rise(at)
    return true
  }

  take(): T | undefined {
    const item = this.first
    if (item !== undefined) this.delete(item)
    return item
  }

  #put(at: number, item: T): void {
    this.#items[at] = item
    this.#places.set(item, at)
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#items[a]!, this.#items[b]!]
    this.#put(a, other)
    this.#put(b, one)
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.#before(this.#items[at]!, this.#items[parent]!)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#items.length && this.#before(this.#items[child]!, this.#items[least]!))
          least = child
      }
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }
}
