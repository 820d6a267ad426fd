import type { Random } from '../../kernel/async/clock.ts'
import { Fifo } from './fifo.ts'

/** `urgent` work was caused by a change; `routine` work is the first look at what was there before. */
export type QueuePriority = 'urgent' | 'routine'

/** Every eighth key that is taken is a routine one, if there is one. */
const routineEvery = 8

/** The keys that could be taken now, each once: urgent ones first, routine ones often enough to get through. */
export class ReadyKeys {
  readonly #urgent: Fifo
  readonly #routine: Fifo
  #turns = 0

  /** With `ties` the keys of one priority come in any order that it decides. */
  constructor(ties?: Random) {
    this.#urgent = new Fifo(ties)
    this.#routine = new Fifo(ties)
  }

  get size(): number {
    return this.#urgent.size + this.#routine.size
  }

  has(key: string): boolean {
    return this.#urgent.has(key) || this.#routine.has(key)
  }

  /** Appends a key. A routine one becomes urgent if it is added so; never the other way round. */
  push(key: string, priority: QueuePriority): void {
    if (priority === 'urgent') {
      this.#routine.remove(key)
      this.#urgent.push(key)
    } else if (!this.#urgent.has(key)) {
      this.#routine.push(key)
    }
  }

  /** Takes out the key whose turn it is. */
  shift(): string | undefined {
    this.#turns += 1
    const [first, second] =
      this.#turns % routineEvery === 0
        ? [this.#routine, this.#urgent]
        : [this.#urgent, this.#routine]
    return first.shift() ?? second.shift()
  }
}
