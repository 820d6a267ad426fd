/** Some processors that take what comes in its order, each one at a time. */
export class Station {
  readonly processors: number
  /** What all of them have worked. */
  busyMs = 0
  /** When each is free. */
  readonly #free: number[]

  constructor(processors: number) {
    this.processors = processors
    this.#free = Array.from({ length: processors }, () => 0)
  }

  /** Works for `ms` from `at` on, or from when a processor is free; gives when that is done. */
  serve(at: number, ms: number): number {
    const next = this.#free.indexOf(Math.min(...this.#free))
    const done = Math.max(at, this.#free[next] as number) + ms
    this.#free[next] = done
    this.busyMs += ms
    return done
  }
}
