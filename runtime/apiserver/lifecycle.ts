/** What a server has running and open. All of it stops together, what was opened last closed first. */
export class Lifecycle {
  readonly #stop = new AbortController()
  readonly #closers: (() => Promise<unknown>)[] = []
  readonly #runs: Promise<void>[] = []
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  #stopping: Promise<void> | undefined

  /** Settles when everything has stopped; rejects as soon as a run fails before that. */
  readonly ended = new Promise<void>((resolve, reject) => {
    this.#settle = { resolve, reject }
  })

  constructor() {
    this.ended.catch(() => {})
  }

  /** Aborts when everything stops, once what was opened last has closed: it may still need the others. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Runs something until `stop`. What it throws afterwards is no failure. */
  run(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stop
    this.#runs.push(
      work(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#settle?.reject(error)
      }),
    )
  }

  /** Adds something to close; what is added later closes earlier. */
  onStop(close: () => Promise<unknown>): void {
    this.#closers.push(close)
  }

  /** Closes and ends everything. Further calls wait for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#close()
    return this.#stopping
  }

  /**
   * The order: what was opened last, then the signal, then the runs, then the others backwards. A
   * closer that throws ends the stop with its error.
   */
  async #close(): Promise<void> {
    const first = this.#closers.pop()
    await first?.()
    this.#stop.abort()
    await Promise.all(this.#runs)
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop())
      await close()
    this.#settle?.resolve()
  }
}
