/**
 * The end of the log, followed.
 *
 * 1. What is published is the log from `position` on, in order, without gaps: a revision is published only when all lower ones are.
 * 2. A revision that is known to be committed is published as soon as the database can be read, whichever server wrote it.
 *
 * No commit overtakes another one: it gets its revisions under the lock of the head row and holds that until it is visible, so
 * who sees a revision sees all lower ones. What this process committed itself is published without being read again.
 */
import type { Revision } from '../contract.ts'
import type { Change } from '../log-store.ts'

/** Most rows of one read. */
const chunk = 256

/** What the tail reads with, and who hears of it. */
export interface LogTailOptions {
  readonly position: Revision
  /** The change at `position`, where it is known. */
  readonly last: Change | undefined
  /** Rows of the log after a revision, in order, at most so many. */
  readonly read: (after: Revision, limit: number) => Promise<readonly Change[]>
  /** Says why rows of the log after a revision are not there. */
  readonly missing: (after: Revision) => Promise<never>
  readonly publish: (changes: readonly Change[]) => void
  /** Hears of an error of a read; the next revision that becomes known begins another one. */
  readonly onError: (error: unknown) => void
}

/** Publishes what is committed. */
export class LogTail {
  readonly #options: LogTailOptions
  #position: Revision
  #last: Change | undefined
  #target: Revision
  /** Batches of this process that are committed and not published yet. */
  #own: (readonly Change[])[] = []
  #running: Promise<void> | undefined

  constructor(options: LogTailOptions) {
    this.#options = options
    this.#position = options.position
    this.#last = options.last
    this.#target = options.position
  }

  /** Everything up to here is published. */
  get position(): Revision {
    return this.#position
  }

  /** The change at `position`; undefined if it was never seen. */
  get last(): Change | undefined {
    return this.#last
  }

  /** Takes changes that this process has committed, of successive revisions. */
  committed(changes: readonly Change[]): void {
    const [first] = changes
    if (first === undefined || first.revision <= this.#position) return
    if (first.revision === this.#position + 1 && this.#running === undefined) {
      this.#publish(changes)
      return
    }
    this.#own.push(changes)
    this.reached((changes.at(-1) as Change).revision)
  }

  /** A revision is known to be committed. */
  reached(revision: Revision): void {
    this.#target = Math.max(this.#target, revision)
    if (this.#target > this.#position) this.#running ??= this.#run()
  }

  /** Resolves when no read is under way. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      while (this.#position < this.#target) await this.#advance()
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#running = undefined
    }
  }

  /** Publishes the next own batch, or what was written by others before it. */
  async #advance(): Promise<void> {
    while ((this.#own[0]?.[0]?.revision ?? Number.POSITIVE_INFINITY) <= this.#position) {
      this.#own.shift()
    }
    const [next] = this.#own
    const before = next?.[0]?.revision
    if (next !== undefined && before === this.#position + 1) {
      this.#own.shift()
      this.#publish(next)
      return
    }
    const most = before === undefined ? chunk : Math.min(chunk, before - 1 - this.#position)
    const changes = await this.#options.read(this.#position, most)
    const isNext = (change: Change, index: number) => change.revision === this.#position + 1 + index
    if (changes.length === 0 || !changes.every(isNext)) await this.#options.missing(this.#position)
    this.#publish(changes)
  }

  #publish(changes: readonly Change[]): void {
    const last = changes.at(-1)
    if (last === undefined) return
    this.#position = last.revision
    this.#last = last
    this.#target = Math.max(this.#target, last.revision)
    this.#options.publish(changes)
  }
}
