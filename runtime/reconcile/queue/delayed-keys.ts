import type { Clock } from '../../kernel/async/clock.ts'

interface Delay {
  readonly key: string
  readonly due: number
}

/**
 * Keys that wait for their time, each for one time. All of them share one timer: a hundred thousand waits cost a heap
 * and not a hundred thousand timers.
 */
export class DelayedKeys {
  readonly #clock: Clock
  readonly #onDue: (key: string) => void
  readonly #waiting = new Map<string, Delay>()
  /** A binary heap by due time. A delay that is not the one in `#waiting` was taken back and is skipped. */
  #heap: Delay[] = []
  #timer: { readonly due: number; readonly cancel: () => void } | undefined

  /** `onDue` gets each key when its time has come, after which it no longer waits. */
  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  get size(): number {
    return this.#waiting.size
  }

  has(key: string): boolean {
    return this.#waiting.has(key)
  }

  /** Lets a key wait for `ms` milliseconds. Of several waits for one key the shortest counts. */
  add(key: string, ms: number): void {
    const due = this.#clock.monotonic() + ms
    const known = this.#waiting.get(key)
    if (known !== undefined && known.due <= due) return
    const delay = { key, due }
    this.#waiting.set(key, delay)
    this.#push(delay)
    this.#dropStale()
    this.#schedule()
  }

  /** The key no longer waits. */
  delete(key: string): void {
    if (!this.#waiting.delete(key)) return
    if (this.#waiting.size === 0) this.clear()
    else this.#dropStale()
  }

  /** No key waits any more, and no timer is left. */
  clear(): void {
    this.#waiting.clear()
    this.#heap = []
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #schedule(): void {
    const first = this.#heap[0]
    if (first === undefined || (this.#timer !== undefined && this.#timer.due <= first.due)) return
    this.#timer?.cancel()
    const ms = first.due - this.#clock.monotonic()
    this.#timer = { due: first.due, cancel: this.#clock.after(ms, () => this.#release()) }
  }

  #release(): void {
    this.#timer = undefined
    const now = this.#clock.monotonic()
    const due: string[] = []
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      const isCurrent = this.#waiting.get(first.key) === first
      if (isCurrent && first.due > now) break
      this.#shift()
      if (!isCurrent) continue
      this.#waiting.delete(first.key)
      due.push(first.key)
    }
    for (const key of due) this.#onDue(key)
    this.#schedule()
  }

  /** A sorted list is a heap. */
  #dropStale(): void {
    if (this.#heap.length <= 2 * this.#waiting.size + 16) return
    this.#heap = [...this.#waiting.values()].sort((a, b) => a.due - b.due)
  }

  #push(delay: Delay): void {
    const heap = this.#heap
    let at = heap.push(delay) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as Delay
      if (above.due <= delay.due) break
      heap[at] = above
      at = parent
    }
    heap[at] = delay
  }

  #shift(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1]
      if (right !== undefined && right.due < (heap[child] as Delay).due) child += 1
      const below = heap[child] as Delay
      if (below.due >= last.due) break
      heap[at] = below
      at = child
    }
    heap[at] = last
  }
}
