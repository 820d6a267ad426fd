/** A process that ran for so long starts anew at once when it ends. */
const steadyMs = 10_000

/** The shortest and the longest wait before a process starts that ended sooner. */
const waitMs = { least: 100, most: 10_000 }

/** Says how long to wait before a process starts in the place of one that ended. */
export class Restarts {
  #sooner = 0

  /** Milliseconds, by how long the process ran that ended now. */
  next(ranMs: number): number {
    this.#sooner = ranMs >= steadyMs ? 0 : this.#sooner + 1
    if (this.#sooner === 0) return 0
    return Math.min(waitMs.least * 2 ** (this.#sooner - 1), waitMs.most)
  }
}
