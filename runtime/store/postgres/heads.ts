import type { Revision } from '../contract.ts'

/** How far the log goes, and from where on history is complete. */
export interface Head {
  readonly revision: Revision
  readonly bound: Revision
}

/** Reads the head for all who ask: one read serves those who asked before it began, and none who asked later. */
export class Heads {
  readonly #read: () => Promise<Head>
  #running: Promise<Head> | undefined
  #next: Promise<Head> | undefined

  constructor(read: () => Promise<Head>) {
    this.#read = read
  }

  /** What is committed when this is called, or later. */
  latest(): Promise<Head> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  #start(): Promise<Head> {
    this.#next = undefined
    const running = this.#read().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
