/** Choices that a seed repeats: the same seed gives the same choices on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A number from 0 up to, but not including, 1: one step of mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from 0 up to, but not including, `below`. */
  below(below: number): number {
    return Math.floor(this.next() * below)
  }

  /** True in this share of all cases. */
  chance(share: number): boolean {
    return this.next() < share
  }

  /** One of the items, which must not be empty. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }
}

/** The seed of a case: different for every class, run and index, and the same again for equal ones. */
export function seedOf(className: string, seed: number, index: number): number {
  let hash = 2166136261 ^ seed
  for (const character of `${className}:${index}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 16777619)
  }
  return hash >>> 0
}
