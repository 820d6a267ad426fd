/** Most items of one batch. */
const batchLength = 256

interface Reader<T> {
  readonly resolve: (result: IteratorResult<readonly T[]>) => void
  readonly reject: (error: unknown) => void
}

/**
 * An async iterable of batches for one reader: what is pushed while the reader is busy arrives as one batch.
 *
 * Pushing and waking are two steps, so that a writer with a thousand readers can fill all of them first and wake a few at
 * a time.
 */
export class Feed<T> implements AsyncIterableIterator<readonly T[]> {
  #items: T[] = []
  #weights: number[] = []
  #weight = 0
  #reader: Reader<T> | undefined
  #ended = false
  #error: unknown
  readonly #onEnd: () => void

  /** `onEnd` runs once, when the feed is ended by its writer or its reader. */
  constructor(onEnd: () => void = () => {}) {
    this.#onEnd = onEnd
  }

  /** The sum of the weights of what waits. */
  get weight(): number {
    return this.#weight
  }

  /** True if the reader waits for more. */
  get readerWaiting(): boolean {
    return this.#reader !== undefined
  }

  /** Adds an item for the reader, which is not woken. Does nothing after the end. */
  push(item: T, weight = 0): void {
    if (this.#ended) return
    this.#items.push(item)
    this.#weights.push(weight)
    this.#weight += weight
  }

  /** Hands what waits to the reader, if it waits too. */
  wake(): void {
    const reader = this.#reader
    if (reader === undefined || this.#items.length === 0) return
    this.#reader = undefined
    reader.resolve({ done: false, value: this.#take() })
  }

  /** Ends the iteration: at once with an error, after what waits without one. */
  end(error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    if (error !== undefined) this.#clear()
    this.#onEnd()
    const reader = this.#reader
    this.#reader = undefined
    if (reader === undefined) return
    if (this.#items.length > 0) reader.resolve({ done: false, value: this.#take() })
    else this.#finish(reader)
  }

  next(): Promise<IteratorResult<readonly T[]>> {
    if (this.#items.length > 0) return Promise.resolve({ done: false, value: this.#take() })
    return new Promise((resolve, reject) => {
      if (this.#ended) this.#finish({ resolve, reject })
      else this.#reader = { resolve, reject }
    })
  }

  /** Ends the iteration and forgets what waits. */
  return(): Promise<IteratorResult<readonly T[]>> {
    this.#clear()
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #finish(reader: Reader<T>): void {
    const error = this.#error
    this.#error = undefined
    if (error === undefined) reader.resolve({ done: true, value: undefined })
    else reader.reject(error)
  }

  #clear(): void {
    this.#items = []
    this.#weights = []
    this.#weight = 0
  }

  #take(): readonly T[] {
    if (this.#items.length <= batchLength) {
      const all = this.#items
      this.#clear()
      return all
    }
    for (const weight of this.#weights.splice(0, batchLength)) this.#weight -= weight
    return this.#items.splice(0, batchLength)
  }
}
