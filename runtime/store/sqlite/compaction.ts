/**
 * Compaction: deletes versions that were replaced or deleted up to a revision.
 *
 * The bound is raised first, in memory and in the database, so that no reader trusts history that is being deleted. Then
 * rows go in slices, each a maintenance job and a transaction of its own between two write batches. A slice looks at more
 * revisions than a batch has, so that compaction keeps pace with any number of writers. How far the slices came is durable, so
 * that a compaction goes on after a crash where it stopped.
 */
import type { Revision } from '../contract.ts'
import { maxBatchWrites } from '../sql/batch.ts'
import type { Row } from '../sql/statement.ts'
import type { Connection, Query } from './connection.ts'
import type { Statements } from './statements.ts'

/** How many revisions are looked at before other jobs have their turn. */
const sliceRevisions = 2 * maxBatchWrites

/** Pages that a slice gives back: more than its rows filled, so that what an earlier burst left shrinks, too. */
const slicePages = 512

/** Compacts one store, one pass at a time. */
export class Compactor {
  readonly #connection: Connection
  readonly #statements: Statements
  #bound: Revision
  #durableBound: Revision
  #trimmed: Revision
  #running: Promise<void> = Promise.resolve()
  #holders = 0

  constructor(connection: Connection, statements: Statements, bound: Revision, trimmed: Revision) {
    this.#connection = connection
    this.#statements = statements
    this.#bound = bound
    this.#durableBound = bound
    this.#trimmed = trimmed
  }

  /** History after this revision is complete. */
  get bound(): Revision {
    return this.#bound
  }

  /** Raises the bound and deletes what it makes obsolete; one pass at a time. */
  compact(revision: Revision): Promise<void> {
    const pass = this.#running.then(() => this.#pass(revision))
    this.#running = pass.catch(() => {})
    return pass
  }

  /** Obsolete rows are gone up to this revision. */
  get trimmed(): Revision {
    return this.#trimmed
  }

  /** Deletes nothing until it is released, for the log is being read; a later pass makes up for it. */
  hold(): () => void {
    this.#holders += 1
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#holders -= 1
    }
  }

  async #pass(revision: Revision): Promise<void> {
    this.#bound = Math.max(this.#bound, revision)
    if (this.#durableBound < this.#bound) {
      const bound = this.#bound
      await this.#run((query) => query(this.#statements.setMeta('compact', String(bound))))
      this.#durableBound = bound
    }
    while (this.#trimmed < this.#bound && this.#holders === 0) await this.#slice()
    while (await this.#run((query) => this.#shrink(query))) {}
  }

  async #slice(): Promise<void> {
    const to = Math.min(this.#trimmed + sliceRevisions, this.#bound)
    await this.#run(async (query) => {
      if (this.#holders > 0) return
      await transaction(query, async () => {
        await query(this.#statements.deleteObsolete(this.#trimmed, to))
        await query(this.#statements.setMeta('trimmed', String(to)))
      })
      this.#trimmed = to
    })
  }

  /** Gives free pages back where they are more than a quarter of the file; true if there may be more of them. */
  async #shrink(query: Query): Promise<boolean> {
    const [free, all] = [
      numberOf(await query('PRAGMA freelist_count')),
      numberOf(await query('PRAGMA page_count')),
    ]
    if (free * 4 <= all || free < slicePages) return false
    await query(this.#statements.vacuum(slicePages))
    return true
  }

  #run<T>(job: (query: Query) => Promise<T>): Promise<T> {
    return this.#connection.run('maintenance', job)
  }
}

/** All of the work, or nothing of it. */
export async function transaction(query: Query, work: () => Promise<void>): Promise<void> {
  await query('BEGIN')
  try {
    await work()
    await query('COMMIT')
  } catch (error) {
    // What failed may have ended the transaction by itself.
    await query('ROLLBACK').catch(() => {})
    throw error
  }
}

function numberOf([row]: readonly Row[]): number {
  return Number(Object.values(row ?? {})[0])
}
