/** What a server has running and open: all of it stops together, last opened first closed. */
export class Lifecycle {
  readonly #stop = new AbortController()
  readonly #closers: (() => Promise<unknown>)[] = []
  readonly #runs: Promise<void>[] = []
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  #stopping: Promise<void> | undefined

  /** Settles when everything has stopped; fails as soon as a run fails that was not told to stop. */
  readonly ended = new Promise<void>((resolve, reject) => {
    this.#settle = { resolve, reject }
  })

  constructor() {
    this.ended.catch(() => {})
  }

  /** Aborts when everything stops, after what was opened last has closed. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Runs something until `stop`. */
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

  stop(): Promise<void> {
    this.#stopping ??= this.#close()
    return this.#stopping
  }

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
