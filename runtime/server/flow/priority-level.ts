import type { PriorityLevelSpec } from '../../kernel/descriptors/flow-control-facts.ts'
import { RetryAfter } from './retry-after.ts'
import { dealHand } from './shuffle-sharding.ts'

/** A request that waits in a queue, or holds its seats. */
export interface QueuedRequest {
  readonly seats: number
  /** Called once the seats are its own. */
  start(): void
}

/** Requests that wait behind each other. A flow may use a few of the queues of its level. */
interface Queue {
  readonly waiting: QueuedRequest[]
  /** When its next request begins, in virtual time. */
  start: number
}

/** Milliseconds that a request is expected to hold a seat; corrected when it ends. Virtual time goes on by it. */
const expectedMs = 5

/**
 * One priority level: its seats, those that it lent and borrowed, and its queues.
 *
 * Seats are lent as long as no request of the level's own waits, and come back as soon as the request that holds them ends.
 * Queues are served by start-time fair queueing: in virtual time, the next request of a queue starts where the one before it
 * ends, and the earliest start goes first. So a queue that was idle gains nothing, and one that was busy loses nothing.
 */
export class PriorityLevelQueues {
  readonly name: string
  readonly exempt: boolean
  /** Seats of its own, whether or not they are lent. */
  readonly nominal: number
  /** The most of them that other levels may hold. */
  readonly lendable: number
  /** The most that it may hold of others; Infinity without a limit. */
  readonly borrowable: number
  readonly #queues: readonly Queue[]
  readonly #handSize: number
  readonly #queueLimit: number
  /** What its rejected clients are told. */
  readonly retryAfter = new RetryAfter()
  /** Held by its requests, borrowed ones among them. */
  seatsInUse = 0
  /** Held by requests of other levels. */
  seatsLent = 0
  /** Requests in its queues. */
  waiting = 0
  /** Where the request that started last stood in virtual time. */
  #virtual = 0
  /** Seats that it borrowed, by their level. */
  readonly #debts = new Map<PriorityLevelQueues, number>()

  constructor(name: string, spec: PriorityLevelSpec, nominal: number) {
    const { lendablePercent = 0 } = spec.limited ?? spec.exempt ?? {}
    const borrowing = spec.limited?.borrowingLimitPercent
    const queuing = spec.limited?.limitResponse?.type === 'Queue'
    const {
      queues = 64,
      handSize = 8,
      queueLengthLimit = 50,
    } = spec.limited?.limitResponse?.queuing ?? {}
    this.name = name
    this.exempt = spec.type === 'Exempt'
    this.nominal = nominal
    this.lendable = Math.round((nominal * lendablePercent) / 100)
    this.borrowable = borrowing === undefined ? Infinity : Math.round((nominal * borrowing) / 100)
    this.#handSize = handSize
    this.#queueLimit = queueLengthLimit
    this.#queues = Array.from({ length: queuing ? queues : 0 }, newQueue)
  }

  /** False for a level that rejects what it has no seats for. */
  get hasQueues(): boolean {
    return this.#queues.length > 0
  }

  /** Seats that are its own and free. */
  get free(): number {
    return this.nominal - this.seatsLent - (this.seatsInUse - this.borrowed)
  }

  /** Seats of others that it holds. */
  get borrowed(): number {
    let sum = 0
    for (const seats of this.#debts.values()) sum += seats
    return sum
  }

  /** Seats that it can lend right now. */
  get lendableNow(): number {
    return this.waiting > 0 ? 0 : Math.max(0, Math.min(this.free, this.lendable - this.seatsLent))
  }

  /** Takes seats, from others where its own do not suffice; false if there are not enough. */
  acquire(seats: number, others: readonly PriorityLevelQueues[]): boolean {
    if (this.exempt || seats <= this.free) {
      this.seatsInUse += seats
      return true
    }
    return this.borrowable > 0 && this.#borrow(seats, others)
  }

  #borrow(seats: number, others: readonly PriorityLevelQueues[]): boolean {
    let missing = seats - Math.max(0, this.free)
    if (missing + this.borrowed > this.borrowable) return false
    const loans: [PriorityLevelQueues, number][] = []
    for (const lender of others) {
      const loan = lender === this ? 0 : Math.min(missing, lender.lendableNow)
      if (loan > 0) loans.push([lender, loan])
      missing -= loan
      if (missing === 0) break
    }
    if (missing > 0) return false
    for (const [lender, loan] of loans) {
      lender.seatsLent += loan
      this.#debts.set(lender, (this.#debts.get(lender) ?? 0) + loan)
    }
    this.seatsInUse += seats
    return true
  }

  /** Gives seats back, borrowed ones first: their level may need them. */
  release(seats: number): void {
    this.seatsInUse -= seats
    let rest = seats
    for (const [lender, owed] of this.#debts) {
      const back = Math.min(owed, rest)
      lender.seatsLent -= back
      rest -= back
      if (back === owed) this.#debts.delete(lender)
      else this.#debts.set(lender, owed - back)
      if (rest === 0) return
    }
  }

  /** Queues a request in the shortest queue of its flow's hand; undefined if that is full, or the level has none. */
  enqueue(flow: string, ticket: QueuedRequest): QueuePosition | undefined {
    if (this.#queues.length === 0) return undefined
    const hand = dealHand(flow, this.#queues.length, this.#handSize)
    const queue = hand
      .map((at) => this.#queues[at] as Queue)
      .reduce((best, one) => (one.waiting.length < best.waiting.length ? one : best))
    if (queue.waiting.length >= this.#queueLimit) return undefined
    if (queue.waiting.length === 0) queue.start = Math.max(queue.start, this.#virtual)
    queue.waiting.push(ticket)
    this.waiting++
    return {
      leave: () => this.#leave(queue, ticket),
      finished: (ms) => {
        queue.start += ticket.seats * (ms - expectedMs)
      },
    }
  }

  #leave(queue: Queue, ticket: QueuedRequest): boolean {
    const at = queue.waiting.indexOf(ticket)
    if (at < 0) return false
    queue.waiting.splice(at, 1)
    this.waiting--
    return true
  }

  /** Starts requests that wait, in fair order, as far as seats suffice. */
  dispatch(others: readonly PriorityLevelQueues[]): void {
    while (this.waiting > 0) {
      const next = this.#next()
      const ticket = next?.waiting[0]
      if (next === undefined || ticket === undefined || !this.acquire(ticket.seats, others)) return
      this.#virtual = next.start
      next.start += ticket.seats * expectedMs
      this.#leave(next, ticket)
      ticket.start()
    }
  }

  #next(): Queue | undefined {
    let best: Queue | undefined
    for (const queue of this.#queues) {
      if (queue.waiting.length === 0) continue
      if (best === undefined || queue.start < best.start) best = queue
    }
    return best
  }

  /** Empties the queues of a level that is replaced, and gives what waited in them. */
  drain(): readonly QueuedRequest[] {
    const all = this.#queues.flatMap((queue) => queue.waiting.splice(0))
    this.waiting = 0
    return all
  }
}

/** The position of a request in a queue. */
export interface QueuePosition {
  /** Gives up waiting; false if it is not waiting any more. */
  leave(): boolean
  /** Corrects virtual time by the milliseconds that the request took once it had its seats. */
  finished(ms: number): void
}

/** An empty queue, at the beginning of virtual time. */
function newQueue(): Queue {
  return { waiting: [], start: 0 }
}
