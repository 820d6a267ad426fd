import { invariant } from '../../kernel/errors/invariant.ts'
import type { Entry, Revision } from '../contract.ts'
import type { Change } from '../log-store.ts'

/** One change, with the versions it stands between. */
export interface LoggedChange extends Change {
  readonly entry: Entry | undefined
  readonly previous: Entry | undefined
  /** When it came. */
  readonly at: number
}

/** How long, and how much, the log keeps beside the last change: the readers of a store in memory are in the same process, and remember for themselves. */
const maxAgeMs = 5000
const maxBytes = 512 * 1024

/** What a change takes beside its value, as measured. */
const changeBytes = 512

/** The last changes, one for every revision after `start`. */
export class MemoryLog {
  /** From `#head` on: dropped ones stand before it until there are many. */
  #changes: (LoggedChange | undefined)[] = []
  #head = 0
  #bytes = 0
  #start: Revision

  constructor(start: Revision) {
    this.#start = start
  }

  /** Every change after this revision is here. */
  get start(): Revision {
    return this.#start
  }

  /** The revision of the last change. */
  get end(): Revision {
    return this.#start + this.#changes.length - this.#head
  }

  /** Adds the change of the next revision, and drops the oldest beyond what is kept. */
  push(change: LoggedChange): void {
    invariant(change.revision === this.end + 1, 'revisions have no gaps')
    this.#changes.push(change)
    this.#bytes += weightOf(change)
    while (this.#oldest !== change && this.#isTooMuch(change.at)) this.#drop()
    this.#shrink()
  }

  /** The changes after a revision that is not before `start`. */
  after(revision: Revision): readonly LoggedChange[] {
    return this.#changes.slice(this.#head + revision - this.#start) as LoggedChange[]
  }

  /** Drops everything up to and including `revision`. */
  forget(revision: Revision): void {
    while (this.#start < revision) this.#drop()
    this.#shrink()
  }

  #isTooMuch(now: number): boolean {
    return this.#bytes > maxBytes || this.#oldest.at < now - maxAgeMs
  }

  get #oldest(): LoggedChange {
    return this.#changes[this.#head] as LoggedChange
  }

  #drop(): void {
    this.#bytes -= weightOf(this.#oldest)
    this.#changes[this.#head] = undefined
    this.#head += 1
    this.#start += 1
  }

  /** Places of dropped changes are let go in batches, so that dropping one stays cheap. */
  #shrink(): void {
    if (this.#head < 1024 || this.#head * 2 < this.#changes.length) return
    this.#changes = this.#changes.slice(this.#head)
    this.#head = 0
  }
}

function weightOf({ value }: Change): number {
  return changeBytes + (value?.byteLength ?? 0)
}
