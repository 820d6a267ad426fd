import type { Random } from '../../kernel/async/clock.ts'

interface Place {
  readonly key: string
  /** Tells two places of one key apart: the key may have left and come again. */
  readonly ticket: number
}

/**
 * Distinct keys, first in, first out; with `ties`, in any order that it decides. Removal only forgets a key: its place is skipped when its
 * turn comes.
 */
export class Fifo {
  readonly #ties: Random | undefined
  readonly #tickets = new Map<string, number>()
  #places: Place[] = []
  #head = 0
  #last = 0

  constructor(ties?: Random) {
    this.#ties = ties
  }

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
    if (this.#ties !== undefined) this.#choose(this.#ties)
    const place = this.#places[this.#head]
    if (place !== undefined) this.#head += 1
    if (this.#head > 1024 && this.#head * 2 > this.#places.length) {
      this.#places = this.#places.slice(this.#head)
      this.#head = 0
    }
    return place
  }

  /** Any place may be the first. */
  #choose(ties: Random): void {
    const [places, head] = [this.#places, this.#head]
    const chosen = head + Math.floor(ties() * (places.length - head))
    const [first, other] = [places[head], places[chosen]]
    if (first === undefined || other === undefined) return
    places[head] = other
    places[chosen] = first
  }
}
