/** A body that arrives, or has arrived, and that no request works on yet. */
export interface ArrivingBody {
  /** Counts some bytes of it. */
  came(bytes: number): void
  /** It is there, or does not come: it is refused no more. */
  ended(): void
  /** A request works on it: it is counted no more. */
  taken(): void
}

/**
 * Bounds the bytes of bodies that no request works on yet. Beyond it the body is refused that has been arriving for longest: one that
 * is sent slowly, for others are there in an instant.
 */
export class ArrivingBodies {
  readonly #most: number
  #bytes = 0
  /** Those that still arrive, the oldest first. */
  readonly #arriving = new Set<Arriving>()

  /** At most so many bytes. */
  constructor(most: number) {
    this.#most = most
  }

  /** The bytes of all that are counted. */
  get bytes(): number {
    return this.#bytes
  }

  /** Begins to count a body. `refuse` is called at most once, and not any more once the body has ended. */
  begin(refuse: () => void): ArrivingBody {
    const body: Arriving = { bytes: 0, refuse }
    this.#arriving.add(body)
    return {
      came: (bytes) => this.#came(body, bytes),
      ended: () => void this.#arriving.delete(body),
      taken: () => this.#forget(body),
    }
  }

  #came(body: Arriving, bytes: number): void {
    body.bytes += bytes
    this.#bytes += bytes
    while (this.#bytes > this.#most) {
      const [oldest] = this.#arriving
      if (oldest === undefined) return
      this.#forget(oldest)
      oldest.refuse()
    }
  }

  #forget(body: Arriving): void {
    this.#arriving.delete(body)
    this.#bytes -= body.bytes
    body.bytes = 0
  }
}

interface Arriving {
  bytes: number
  readonly refuse: () => void
}
