const windowMs = 1000
const maxSeconds = 8

/**
 * How hard a level is pressed, as the seconds after which to come back: doubled by each second in which somebody was turned
 * away although the second before had been the same, back to one after a quiet one.
 */
export class RetryAfter {
  #window = 0
  #seconds = 1

  /** Notes that somebody is turned away, and tells when he may come back. */
  reject(now: number): number {
    const window = Math.floor(now / windowMs)
    if (window > this.#window + this.#seconds) this.#seconds = 1
    else if (window > this.#window) this.#seconds = Math.min(maxSeconds, this.#seconds * 2)
    this.#window = window
    return this.#seconds
  }
}
