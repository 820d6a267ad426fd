/**
 * Group commit: while one call runs, writes collect; when it returns, everything that waits goes as one call.
 *
 * The database decides: a write names the revision that it expects, and lands only if that is the latest at the commit. Writes of this
 * process are compared in the order in which they came.
 *
 * Where a connection is lost before the answer came, nothing is guessed: the next session ends the server process of the former one,
 * waits until it is gone and looks which rows the call has written. The rest is sent again. Writes that have waited for longer than
 * `patienceMs` are refused: as `Unavailable` if they were never sent, as `Unknown` if they were.
 */
import { type Clock, pause } from '../../kernel/async/clock.ts'
import { type Deferred, deferred } from '../../kernel/async/deferred.ts'
import { checksumOf } from '../checksum.ts'
import type { Revision } from '../contract.ts'
import { StoreError } from '../errors.ts'
import type { Change, Write } from '../log-store.ts'
import { refusalMessage } from '../refusals.ts'
import { takeBatch } from '../sql/batch.ts'
import { commitBatch, resultsOf, type WriteResult } from './commit-batch.ts'
import { type DatabaseError, explained, isLost, unavailable } from './database-error.ts'
import { randomKey } from './session.ts'
import type { CallOutcome, OpenCall, WriteSession } from './write-session.ts'

/** Most writes that wait at once, and most bytes of their values. */
const maxWaiting = 10_000
const maxWaitingBytes = 128 * 1024 * 1024

/** How long a write waits for a database that does not answer. */
const patienceMs = 10_000

/** Between two attempts to connect. */
const retryMs = 250

/** Where a committer writes, and who hears of it. */
export interface CommitterOptions {
  readonly clock: Clock
  readonly where: string
  /** Where others hear of commits. */
  readonly channel: string
  readonly connect: () => Promise<WriteSession>
  /** A revision after which the next call writes. */
  readonly base: () => Revision
  /** Hears of every batch right after its commit, before its writers do. */
  readonly onCommit: (changes: readonly Change[]) => void
  /** Hears of a revision that was written by a call whose answer did not come. */
  readonly onFound: (revision: Revision) => void
}

/** A write that waits for its commit. */
class WaitingWrite {
  readonly write: Write
  readonly since: number
  readonly #settled: Deferred<Change> = deferred()

  constructor(write: Write, since: number) {
    this.write = write
    this.since = since
  }

  get value(): Uint8Array | undefined {
    return this.write.value
  }

  get settled(): Promise<Change> {
    return this.#settled.promise
  }

  /** The change that it became. */
  land(change: Change): void {
    this.#settled.resolve(change)
  }

  refuse(error: unknown): void {
    this.#settled.reject(error)
  }
}

/** Commits the writes of one process. */
export class Committer {
  readonly #options: CommitterOptions
  readonly #stopping = new AbortController()
  #waiting: WaitingWrite[] = []
  #waitingBytes = 0
  #running: Promise<void> | undefined
  #session: WriteSession | undefined
  #refusal: Error | undefined

  constructor(options: CommitterOptions) {
    this.#options = options
  }

  /** Why the last batch was refused by the database; undefined if it was not. */
  get refusal(): Error | undefined {
    return this.#refusal
  }

  /** Forgets why the last batch was refused: the database takes writes again. */
  recovered(): void {
    this.#refusal = undefined
  }

  /** Commits one write. @throws StoreError */
  append(write: Write): Promise<Change> {
    const { aborted, reason } = this.#stopping.signal
    if (aborted) return Promise.reject(reason)
    const bytes = write.value?.byteLength ?? 0
    if (this.#waiting.length >= maxWaiting || this.#waitingBytes + bytes > maxWaitingBytes) {
      const why = `${this.#waiting.length} writes wait for the database at ${this.#options.where}`
      return Promise.reject(new StoreError('Unavailable', `${why}: try again later`))
    }
    const waiting = new WaitingWrite(write, this.#options.clock.monotonic())
    this.#waiting.push(waiting)
    this.#waitingBytes += bytes
    this.#running ??= this.#work()
    return waiting.settled
  }

  /** Refuses every further write with this error; those that wait are still committed. */
  stop(error: Error): void {
    this.#stopping.abort(error)
  }

  /** Resolves when no write is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /** Ends the session. */
  async close(): Promise<void> {
    await this.#session?.close()
  }

  async #work(): Promise<void> {
    await undefined
    while (this.#waiting.length > 0) {
      const batch = takeBatch(this.#waiting)
      for (const { value } of batch) this.#waitingBytes -= value?.byteLength ?? 0
      await this.#commit(batch)
    }
    this.#running = undefined
  }

  /** Settles every write of a batch, one way or another. */
  async #commit(batch: readonly WaitingWrite[]): Promise<void> {
    let open: OpenCall | undefined
    let rest = batch
    while (rest.length > 0) {
      let sent = false
      try {
        const session = await this.#connected()
        if (open !== undefined) rest = this.#landWritten(rest, await session.settle(open))
        open = undefined
        if (rest.length === 0) return
        open = { lock: session.lock, batch: randomKey(), base: this.#options.base() }
        sent = true
        this.#settle(rest, await this.#call(session, rest, open.batch))
        return
      } catch (error) {
        if (sent && !isLost(error)) return this.#refuse(rest, this.#refusalOf(error))
        if (!(await this.#mayTryAgain(rest))) return this.#refuse(rest, this.#lostBy(error, open))
      }
    }
  }

  async #connected(): Promise<WriteSession> {
    if (this.#session?.lost === false) return this.#session
    await this.#session?.close()
    this.#session = undefined
    this.#session = await this.#options.connect()
    return this.#session
  }

  async #call(
    session: WriteSession,
    batch: readonly WaitingWrite[],
    name: string,
  ): Promise<readonly WriteResult[]> {
    const writes = batch.map(({ write }) => write)
    return resultsOf(await session.query(commitBatch(writes, name, this.#options.channel)))
  }

  #settle(batch: readonly WaitingWrite[], results: readonly WriteResult[]): void {
    const landed: [WaitingWrite, Change][] = []
    const refused: [WaitingWrite, StoreError][] = []
    for (const [index, waiting] of batch.entries()) {
      const { write } = waiting
      const result = results[index] as WriteResult
      if ('refusal' in result) {
        const error = new StoreError(result.refusal, refusalMessage(result.refusal, write))
        refused.push([waiting, error])
      } else {
        landed.push([waiting, { ...changeOf(write), ...result }])
      }
    }
    this.#refusal = undefined
    this.#options.onCommit(landed.map(([, change]) => change))
    for (const [waiting, change] of landed) waiting.land(change)
    for (const [waiting, error] of refused) waiting.refuse(error)
  }

  /** Lands what a call of a former session has written; gives the writes that it has not. */
  #landWritten(
    batch: readonly WaitingWrite[],
    { written, complete }: CallOutcome,
  ): readonly WaitingWrite[] {
    const byWrite = new Map(
      written.map((row) => [identityOf(row.key, row.previousRevision, row.sum), row]),
    )
    const landed: [WaitingWrite, Change][] = []
    const rest: WaitingWrite[] = []
    for (const waiting of batch) {
      const { write } = waiting
      const { key, expected, value } = write
      const sum = value === undefined ? undefined : checksumOf(key, value)
      const name = identityOf(key, expected, sum)
      const row = byWrite.get(name)
      // Of two that are the same, the first has it.
      byWrite.delete(name)
      if (row === undefined) rest.push(waiting)
      else {
        const { revision, createRevision } = row
        landed.push([waiting, { ...changeOf(write), revision, createRevision }])
      }
    }
    for (const { revision } of written) this.#options.onFound(revision)
    for (const [waiting, change] of landed) waiting.land(change)
    if (complete) return rest
    this.#refuse(rest, unknown(this.#options.where, 'history was compacted meanwhile'))
    return []
  }

  #refuse(batch: readonly WaitingWrite[], error: StoreError): void {
    this.#refusal = error
    for (const waiting of batch) waiting.refuse(error)
  }

  /** Waits a little; false if that takes longer than the oldest write may wait. */
  async #mayTryAgain(batch: readonly WaitingWrite[]): Promise<boolean> {
    const { clock } = this.#options
    const { signal } = this.#stopping
    const oldest = Math.min(...batch.map(({ since }) => since))
    if (signal.aborted || clock.monotonic() + retryMs > oldest + patienceMs) return false
    await pause(clock, retryMs, signal)
    return true
  }

  /** The refusal of a batch that the database rolled back. */
  #refusalOf(error: unknown): StoreError {
    const { where } = this.#options
    const { code = '' } = error as DatabaseError
    // A standby that was the primary stays where it is: the next session may find the one that is.
    if (code === '25006') {
      void this.#session?.close()
      this.#session = undefined
    }
    if (/^(57014|55P03|40)/.test(code)) return unavailable(where, error)
    const text = `the database at ${where} cannot write: ${explained(error)}`
    // Without room, or as a standby, it may take the same write later.
    const reason = /^(25006|53)/.test(code) ? 'Unavailable' : 'CannotWrite'
    return Object.assign(new StoreError(reason, text), { cause: error })
  }

  #lostBy(error: unknown, open: OpenCall | undefined): StoreError {
    const { where } = this.#options
    return open === undefined ? unavailable(where, error) : unknown(where, explained(error))
  }
}

/** What a write becomes, but for its revisions. */
function changeOf({ key, expected, value }: Write): Omit<Change, 'revision' | 'createRevision'> {
  return { key, previousRevision: expected, value }
}

/** Tells the writes of one batch apart; `sum` is the checksum of a value, absent for a deletion. */
function identityOf(key: string, expected: Revision, sum: number | undefined): string {
  return `${expected} ${sum} ${key}`
}

function unknown(where: string, why: string): StoreError {
  const text = `the database at ${where} did not say whether it stored this: ${why}; read it again`
  return new StoreError('Unknown', text)
}
