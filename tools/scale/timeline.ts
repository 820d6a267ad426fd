interface Event {
  readonly at: number
  readonly run: () => void
}

/** What happens at times to come, done in the order of these: a binary heap. */
export class Timeline {
  readonly #heap: Event[] = []

  /** Has something done at a time, which may not be before what is done now. */
  at(at: number, run: () => void): void {
    const heap = this.#heap
    let place = heap.push({ at, run }) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if ((heap[parent] as Event).at <= at) break
      this.#swap(place, parent)
      place = parent
    }
  }

  /** Does everything, and what it leads to. */
  run(): void {
    for (let next = this.#take(); next !== undefined; next = this.#take()) next.run()
  }

  #take(): Event | undefined {
    const heap = this.#heap
    if (heap.length === 0) return undefined
    this.#swap(0, heap.length - 1)
    const first = heap.pop()
    for (let place = 0; ; ) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      let least = place
      for (const child of [left, right]) {
        if (child < heap.length && (heap[child] as Event).at < (heap[least] as Event).at)
          least = child
      }
      if (least === place) return first
      this.#swap(place, least)
      place = least
    }
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap
    const [first, second] = [heap[one] as Event, heap[other] as Event]
    heap[one] = second
    heap[other] = first
  }
}
