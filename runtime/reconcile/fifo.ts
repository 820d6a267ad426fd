/** A line of distinct texts, first in, first out. */
export interface Fifo {
  /** Appends `item` unless it stands in the line already. */
  push(item: string): void
  shift(): string | undefined
  /** Takes `item` out of the line, wherever it stands. */
  remove(item: string): boolean
  has(item: string): boolean
  readonly size: number
}

/** Removal only forgets: the place in the line is skipped when its turn comes. */
export function createFifo(): Fifo {
  const standing = new Map<string, number>()
  let places: (readonly [string, number])[] = []
  let head = 0
  let tickets = 0

  return {
    push(item) {
      if (standing.has(item)) return
      standing.set(item, ++tickets)
      places.push([item, tickets])
    },
    shift() {
      for (let place = next(); place !== undefined; place = next()) {
        const [item, ticket] = place
        if (standing.get(item) !== ticket) continue
        standing.delete(item)
        return item
      }
      return undefined
    },
    remove: (item) => standing.delete(item),
    has: (item) => standing.has(item),
    get size() {
      return standing.size
    },
  }

  function next(): readonly [string, number] | undefined {
    const place = places[head]
    if (place !== undefined) head++
    if (head > 1024 && head * 2 > places.length) {
      places = places.slice(head)
      head = 0
    }
    return place
  }
}
