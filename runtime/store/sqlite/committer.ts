/**
 * Group commit: while one commit runs, writes collect; when it returns, everything that waits goes as one statement.
 *
 * A write is judged in memory against the newest version of its key, uncommitted ones included, and gets its revision
 * at once, so that the order of revisions is the order of commits. There is no timer: an idle store commits at once, a
 * busy one batches by itself.
 *
 * After a failed statement nothing is guessed: the tip of the log says whether the batch landed. If it did not, its
 * writers are refused and the writes behind it are judged anew; if the tip is neither before nor after the batch, somebody
 * else writes to this database, and the store ends.
 */

import type { Change, Write } from '../log-store.ts'
import { type Revision, StoreError } from '../store.ts'
import type { Connection, DriverError, Query } from './connection.ts'
import type { Dialect, LogRow } from './dialect.ts'
import {
  checkPrecondition,
  type LatestRevision,
  type PendingWrite,
  refusalMessage,
} from './latest-revisions.ts'

const batchCount = 256
const batchBytes = 1024 * 1024

export interface CommitterOptions {
  readonly database: Connection
  readonly dialect: Dialect
  readonly latestRevisions: Map<string, LatestRevision>
  readonly revision: Revision
  /** Told of every batch right after its commit, before its writers are answered. */
  readonly onCommit: (changes: readonly Change[]) => void
  /** Told once, if the store cannot go on. */
  readonly onFailure: (error: Error) => void
}

class EnqueuedWrite implements PendingWrite, Change {
  readonly revision: Revision
  readonly key: string
  readonly previousRevision: Revision
  readonly createRevision: Revision
  readonly op: Write['op']
  readonly value: Uint8Array | undefined
  readonly before: LatestRevision | undefined
  readonly settled: Promise<boolean>
  settle!: (landed: boolean) => void
  refuse!: (error: unknown) => void

  constructor(write: Write, revision: Revision, before: LatestRevision | undefined) {
    this.revision = revision
    this.key = write.key
    this.previousRevision = write.op === 'create' ? 0 : (before?.revision ?? 0)
    this.createRevision = write.op === 'create' ? revision : (before?.createRevision ?? 0)
    this.op = write.op
    this.value = write.value
    this.before = before
    this.settled = new Promise((resolve, reject) => {
      this.settle = resolve
      this.refuse = reject
    })
  }
}

export class Committer {
  readonly #options: CommitterOptions
  readonly #heads: Map<string, LatestRevision>
  #waiting: EnqueuedWrite[] = []
  #committed: Revision
  #newest: Revision
  #running: Promise<void> | undefined
  #failure: Error | undefined

  constructor(options: CommitterOptions) {
    this.#options = options
    this.#heads = options.latestRevisions
    this.#committed = options.revision
    this.#newest = options.revision
  }

  /** The latest revision that is durable. */
  get committed(): Revision {
    return this.#committed
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
   * Judges, numbers and commits one write. A refusal that rests on an uncommitted write waits for that commit, so that
   * nobody is refused because of a write that then fails.
   */
  async append(write: Write): Promise<Change> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      const head = this.#heads.get(write.key)
      const refusal = checkPrecondition(write, head)
      if (refusal === undefined) {
        const pending = this.#enqueue(write, head)
        if (await pending.settled) return pending
      } else if (head?.pending === undefined || (await landed(head.pending))) {
        throw new StoreError(refusal, refusalMessage(refusal, write))
      }
    }
  }

  #enqueue(write: Write, before: LatestRevision | undefined): EnqueuedWrite {
    this.#newest += 1
    const pending = new EnqueuedWrite(write, this.#newest, before)
    const { revision, createRevision: created } = pending
    this.#heads.set(write.key, {
      revision,
      createRevision: created,
      deleted: write.op === 'delete',
      pending,
    })
    this.#waiting.push(pending)
    this.#running ??= this.#work()
    return pending
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        await this.#options.database.run('write', (query) => this.#commit(query))
      } catch (error) {
        this.#fail(error)
      }
    }
    this.#running = undefined
  }

  async #commit(query: Query): Promise<void> {
    const batch = this.#take()
    try {
      const refusal = await this.#insert(batch, query)
      if (refusal === undefined) this.#land(batch)
      else this.#undo(batch, refusal)
    } catch (error) {
      this.#waiting.unshift(...batch)
      throw error
    }
  }

  /** Undefined if the batch is in the log, the reason if it is not; fails if that cannot be told. */
  async #insert(batch: readonly EnqueuedWrite[], query: Query): Promise<Error | undefined> {
    const { sql, bindings } = this.#options.dialect.insertLog(batch satisfies readonly LogRow[])
    try {
      await query(sql, bindings)
      return undefined
    } catch (error) {
      const refusal = writeError(error)
      if (isRevisionTaken(error)) throw refusal
      return (await this.#hasLanded(batch, query)) ? undefined : refusal
    }
  }

  #take(): EnqueuedWrite[] {
    let count = 0
    for (let bytes = 0; count < this.#waiting.length && count < batchCount; count++) {
      bytes += this.#waiting[count]?.value?.byteLength ?? 0
      if (count > 0 && bytes > batchBytes) break
    }
    return this.#waiting.splice(0, count)
  }

  #land(batch: readonly EnqueuedWrite[]): void {
    for (const write of batch) {
      const head = this.#heads.get(write.key)
      if (head?.pending !== write) continue
      if (head.deleted) this.#heads.delete(write.key)
      else this.#heads.set(write.key, { ...head, pending: undefined })
    }
    this.#committed = batch.at(-1)?.revision ?? this.#committed
    this.#options.onCommit(batch)
    for (const write of batch) write.settle(true)
  }

  async #hasLanded(batch: readonly EnqueuedWrite[], query: Query): Promise<boolean> {
    const [row] = await query(this.#options.dialect.latestRevision)
    const tip = Number(row?.tip)
    if (tip === batch.at(-1)?.revision) return true
    // Compaction may have taken the tip's own row, if that was a deletion.
    if (tip <= this.#committed) return false
    throw new Error(`the log ends at ${tip}, not at ${this.#committed}: somebody else writes to it`)
  }

  /** Takes the batch and all that was numbered after it back, newest first, so that every head is as it was. */
  #undo(batch: readonly EnqueuedWrite[], refusal: Error): void {
    const behind = this.#waiting
    this.#waiting = []
    for (const { key, before } of [...batch, ...behind].reverse()) {
      if (before === undefined || before.deleted) this.#heads.delete(key)
      else this.#heads.set(key, { ...before, pending: undefined })
    }
    this.#newest = this.#committed
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

async function landed(pending: PendingWrite): Promise<boolean> {
  try {
    return await pending.settled
  } catch {
    return false
  }
}

/** A row under one of our revisions is already there: the second fence around the one owner of a database. */
function isRevisionTaken(error: unknown): boolean {
  return (error as DriverError).code === 'SQLITE_CONSTRAINT'
}

/** Knex puts the statement before the driver's message; it says nothing to the caller. */
function writeError(error: unknown): Error {
  const code = (error as DriverError).code ?? (error as Error).message
  return new Error(`the store cannot write: ${code}`, { cause: error })
}
