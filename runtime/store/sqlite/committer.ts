/**
 * Group commit: while one commit runs, writes collect; when it returns, everything that waits goes as one statement.
 *
 * The precondition of a write is checked in memory against the latest version of its key, uncommitted ones included, and
 * the write gets its revision at once, so that the order of revisions is the order of commits. There is no timer: an idle
 * store commits at once, a busy one batches by itself.
 *
 * After a failed statement nothing is guessed: the end of the log says whether the batch landed. If it did not, its
 * writers are refused and the writes behind it are checked anew; if the log ends neither before nor after the batch,
 * another process writes to this database, and the store ends.
 */

import type { Revision } from '../contract.ts'
import { StoreError } from '../errors.ts'
import type { Change, Write } from '../log-store.ts'
import { checkPrecondition, refusalMessage } from '../refusals.ts'
import { takeBatch } from '../sql/batch.ts'
import type { Connection, DriverError, Query } from './connection.ts'
import { EnqueuedWrite } from './enqueued-write.ts'
import { insertLog } from './insert-log.ts'
import type { LatestRevision, PendingWrite } from './latest-revisions.ts'
import type { Statements } from './statements.ts'

/** Where a committer writes, and who hears of it. */
export interface CommitterOptions {
  readonly connection: Connection
  readonly statements: Statements
  readonly latestRevisions: Map<string, LatestRevision>
  readonly revision: Revision
  /** Hears of every batch right after its commit, before its writers do. */
  readonly onCommit: (changes: readonly Change[]) => void
  /** Hears once, if the store cannot go on. */
  readonly onFailure: (error: Error) => void
}

/** Numbers the writes of one store and commits them in batches. */
export class Committer {
  readonly #options: CommitterOptions
  readonly #latest: Map<string, LatestRevision>
  #waiting: EnqueuedWrite[] = []
  #committed: Revision
  #newest: Revision
  #running: Promise<void> | undefined
  #failure: Error | undefined
  #refusal: Error | undefined

  constructor(options: CommitterOptions) {
    this.#options = options
    this.#latest = options.latestRevisions
    this.#committed = options.revision
    this.#newest = options.revision
  }

  /** The latest revision that is durable. */
  get committed(): Revision {
    return this.#committed
  }

  /** Why the last batch was refused by the database; undefined if it was not. */
  get refusal(): Error | undefined {
    return this.#refusal
  }

  /** Forgets why the last batch was refused: the database takes writes again. */
  recovered(): void {
    this.#refusal = undefined
  }

  /** Refuses every further write with this error. */
  stop(error: Error): void {
    this.#failure ??= error
  }

  /** Resolves when no write is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /**
   * Checks, numbers and commits one write. A refusal that rests on an uncommitted write waits for that commit, so that no
   * write is refused because of one that then fails.
   */
  async append(write: Write): Promise<Change> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      const latest = this.#latest.get(write.key)
      const refusal = checkPrecondition(write, latest)
      if (refusal === undefined) {
        const pending = this.#enqueue(write, latest)
        if (await pending.settled) return pending
      } else if (latest?.pending === undefined || (await hasSettled(latest.pending))) {
        throw new StoreError(refusal, refusalMessage(refusal, write))
      }
    }
  }

  #enqueue(write: Write, before: LatestRevision | undefined): EnqueuedWrite {
    this.#newest += 1
    const pending = new EnqueuedWrite(write, this.#newest, before)
    const { revision, createRevision } = pending
    const deleted = write.op === 'delete'
    this.#latest.set(write.key, { revision, createRevision, deleted, pending })
    this.#waiting.push(pending)
    this.#running ??= this.#work()
    return pending
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        await this.#options.connection.run('write', (query) => this.#commit(query))
      } catch (error) {
        this.#fail(error)
      }
    }
    this.#running = undefined
  }

  async #commit(query: Query): Promise<void> {
    const batch = takeBatch(this.#waiting)
    try {
      const refusal = await this.#insert(batch, query)
      if (refusal === undefined) this.#land(batch)
      else this.#undo(batch, refusal)
    } catch (error) {
      this.#waiting.unshift(...batch)
      throw error
    }
  }

  /** Resolves to undefined if the batch is in the log, to the reason if it is not; fails if that cannot be found out. */
  async #insert(batch: readonly EnqueuedWrite[], query: Query): Promise<Error | undefined> {
    try {
      await query(insertLog(batch))
      return undefined
    } catch (error) {
      if (isRevisionTaken(error)) throw writeError(error)
      return (await this.#hasLanded(batch, query)) ? undefined : refusalOf(error)
    }
  }

  #land(batch: readonly EnqueuedWrite[]): void {
    for (const write of batch) {
      const latest = this.#latest.get(write.key)
      if (latest?.pending !== write) continue
      if (latest.deleted) this.#latest.delete(write.key)
      else this.#latest.set(write.key, { ...latest, pending: undefined })
    }
    this.#committed = batch.at(-1)?.revision ?? this.#committed
    this.#refusal = undefined
    this.#options.onCommit(batch)
    for (const write of batch) write.settle(true)
  }

  async #hasLanded(batch: readonly EnqueuedWrite[], query: Query): Promise<boolean> {
    const [row] = await query(this.#options.statements.latestRevision())
    const tip = Number(row?.tip)
    if (tip === batch.at(-1)?.revision) return true
    // Compaction may have taken the tip's own row, if that was a deletion.
    if (tip <= this.#committed) return false
    throw new Error(
      `the log ends at ${tip}, not at ${this.#committed}: another process writes to it`,
    )
  }

  /** Takes the batch and all that was numbered after it back, newest first, so that every head is as it was. */
  #undo(batch: readonly EnqueuedWrite[], refusal: Error): void {
    const behind = this.#waiting
    this.#waiting = []
    for (const { key, before } of [...batch, ...behind].reverse()) {
      if (before === undefined || before.deleted) this.#latest.delete(key)
      else this.#latest.set(key, { ...before, pending: undefined })
    }
    this.#newest = this.#committed
    this.#refusal = refusal
    for (const write of batch) write.refuse(refusal)
    for (const write of behind) write.settle(false)
  }

  #fail(error: unknown): void {
    this.#failure ??= writeError(error)
    const lost = this.#waiting
    this.#waiting = []
    for (const write of lost) write.refuse(this.#failure)
    this.#options.onFailure(this.#failure)
  }
}

/** True if a pending write landed; false if it was refused or is to be checked anew. */
async function hasSettled(pending: PendingWrite): Promise<boolean> {
  try {
    return await pending.settled
  } catch {
    return false
  }
}

/** True if there is a row of our revision already: another process writes, although it cannot hold the lock. */
function isRevisionTaken(error: unknown): boolean {
  return (error as DriverError).code === 'SQLITE_CONSTRAINT'
}

/** Knex puts the statement before the driver's message; it says nothing to the caller. */
function writeError(error: unknown): Error {
  const code = (error as DriverError).code ?? (error as Error).message
  return new Error(`the store cannot write: ${code}`, { cause: error })
}

/** What the operator can do about a failed write. */
const remedies: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'the disk is full: free some space',
  SQLITE_IOERR: 'the disk failed, or is full: see the log of the system',
  SQLITE_READONLY: 'the file may not be written: see its rights and how its disk is mounted',
  SQLITE_BUSY: 'another program has the file locked',
}

/** The refusal of a batch that did not land. Reads go on, and so do writes as soon as the database takes them. */
function refusalOf(error: unknown): StoreError {
  const { message, cause } = writeError(error)
  const remedy = remedies[(error as DriverError).code ?? '']
  const text = remedy === undefined ? message : `${message}: ${remedy}`
  return Object.assign(new StoreError('CannotWrite', text), { cause })
}
