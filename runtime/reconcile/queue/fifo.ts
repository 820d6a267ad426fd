interface Place {
  readonly key: string
  /** Tells two places of one key apart: the key may have left and come again. */
  readonly ticket: number
}

/** Distinct keys, first in, first out. Removal only forgets a key: its place is skipped when its turn comes. */
export class Fifo {
  readonly #tickets = new Map<string, number>()
  #places: Place[] = []
  #head = 0
  #last = 0

  get size(): number {
    return this.#tickets.size
  }

  has(key: string): boolean {
    return this.#tickets.has(key)
  }

  /** Appends a key, unless it is there already. */
  push(key: string): void {
    if (this.#tickets.has(key)) return
    this.#last += 1
    this.#tickets.set(key, this.#last)
    this.#places.push({ key, ticket: this.#last })
  }

  /** Takes the first key out. */
  shift(): string | undefined {
    for (let place = this.#next(); place !== undefined; place = this.#next()) {
      if (this.#tickets.get(place.key) !== place.ticket) continue
      this.#tickets.delete(place.key)
      return place.key
    }
    return undefined
  }

  /** Takes a key out, wherever it stands. */
  remove(key: string): boolean {
    return this.#tickets.delete(key)
  }

  #next(): Place | undefined {
    const place = this.#places[this.#head]
    if (place !== undefined) this.#head += 1
    if (this.#head > 1024 && this.#head * 2 > this.#places.length) {
      this.#places = this.#places.slice(this.#head)
      this.#head = 0
    }
    return place
  }
}
