/** Milliseconds in which any number of rejections counts once. */
const windowMs = 1000

/** The longest that a client is told to wait. */
const maxSeconds = 8

/**
 * The seconds after which a rejected client may try again: doubled by each second with a rejection that follows on another,
 * back to one after a second without, counted from when the last client was told to come back.
 */
export class RetryAfter {
  #window = 0
  #seconds = 1

  /** Notes a rejection at `now`, milliseconds since the epoch, and gives the seconds for its client. */
  reject(now: number): number {
    const window = Math.floor(now / windowMs)
    if (window > this.#window + this.#seconds) this.#seconds = 1
    else if (window > this.#window) this.#seconds = Math.min(maxSeconds, this.#seconds * 2)
    this.#window = window
    return this.#seconds
  }
}
