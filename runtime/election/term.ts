import type { Clock } from '../kernel/async/clock.ts'
import { StatusError } from '../kernel/errors/status-error.ts'

/** The time in which one candidate holds a lease. */
export interface Term {
  /** The lease that is held: `namespace/name`. */
  readonly lease: string
  /** Greater than that of every earlier term of the lease: what a system outside may compare to refuse a late writer. */
  readonly token: number
  /** Aborts when the lease is lost: whatever is under way has to end. */
  readonly lost: AbortSignal
  /**
   * Returns while the lease is held for certain.
   *
   * @throws StatusError `ServiceUnavailable` once it was not renewed in time: another process may be working.
   */
  assertHeld(): void
}

/** A moment, as both clocks tell it. */
interface Moment {
  readonly now: number
  readonly monotonic: number
}

/** What ended a term before its work did. */
export type LossCause = 'not renewed in time' | 'taken by another'

/**
 * A term with its end. It holds for `renewDeadlineMs` from the moment in which the last successful renewal was sent. A machine that
 * was suspended has a monotonic clock that stood still, and one whose time was set has a wall clock that jumped: both must agree.
 */
export class HeldTerm implements Term {
  readonly lease: string
  readonly token: number
  readonly #clock: Clock
  readonly #holdMs: number
  readonly #lost = new AbortController()
  #renewed: Moment
  #cancelTimer: () => void = () => {}
  #over = false

  constructor(
    clock: Clock,
    facts: { readonly lease: string; readonly token: number; readonly holdMs: number },
    sent: Moment,
  ) {
    this.lease = facts.lease
    this.token = facts.token
    this.#clock = clock
    this.#holdMs = facts.holdMs
    this.#renewed = sent
    this.#setTimer()
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  assertHeld(): void {
    const { monotonic, now } = momentOf(this.#clock)
    const elapsed = Math.max(monotonic - this.#renewed.monotonic, now - this.#renewed.now)
    if (!this.#over && elapsed < this.#holdMs) return
    throw new StatusError(
      'ServiceUnavailable',
      `lease ${this.lease} is not held any more by term ${this.token}: another process may be working, nothing is written`,
    )
  }

  /** The lease was renewed by a request that was sent at `sent`. */
  renew(sent: Moment): void {
    if (this.#over) return
    this.#renewed = sent
    this.#setTimer()
  }

  /** The lease is another's, or may be. */
  lose(cause: LossCause): void {
    if (this.#over) return
    this.end()
    this.#lost.abort(new Error(`lease ${this.lease} was lost: ${cause}`))
  }

  /** Nothing is written in this term any more. */
  end(): void {
    this.#over = true
    this.#cancelTimer()
  }

  #setTimer(): void {
    this.#cancelTimer()
    const ms = this.#renewed.monotonic + this.#holdMs - this.#clock.monotonic()
    this.#cancelTimer = this.#clock.after(Math.max(0, ms), () => this.lose('not renewed in time'))
  }
}

/** What both clocks tell now. */
export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), monotonic: clock.monotonic() }
}
