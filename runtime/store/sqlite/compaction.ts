/**
 * Compaction: deletes versions that were replaced or deleted up to a revision.
 *
 * The bound is raised first, in memory and in the database, so that no reader trusts history that is being deleted. Then
 * rows go in slices, each a maintenance job of its own between two write batches. How far the slices came is durable, so
 * that a compaction goes on after a crash where it stopped.
 */
import { type Clock, pause } from '../../kernel/async/clock.ts'
import type { Revision, Store } from '../contract.ts'
import type { Connection, Statement } from './connection.ts'
import type { Statements } from './statements.ts'

/** How many revisions are looked at before other jobs have their turn. */
const sliceRevisions = 200

/** Compacts one store, one pass at a time. */
export class Compactor {
  readonly #connection: Connection
  readonly #statements: Statements
  #bound: Revision
  #durableBound: Revision
  #trimmed: Revision
  #running: Promise<void> = Promise.resolve()

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

  async #pass(revision: Revision): Promise<void> {
    this.#bound = Math.max(this.#bound, revision)
    if (this.#durableBound < this.#bound) {
      await this.#store('compact', this.#bound)
      this.#durableBound = this.#bound
    }
    while (this.#trimmed < this.#bound) await this.#slice()
  }

  async #slice(): Promise<void> {
    const to = Math.min(this.#trimmed + sliceRevisions, this.#bound)
    await this.#run(this.#statements.deleteObsolete(this.#trimmed, to))
    await this.#store('trimmed', to)
    this.#trimmed = to
    await this.#run(this.#statements.vacuum())
  }

  #store(name: string, revision: Revision): Promise<unknown> {
    return this.#run(this.#statements.setMeta(name, String(revision)))
  }

  #run(statement: Statement): Promise<unknown> {
    return this.#connection.run('maintenance', (query) => query(statement))
  }
}

/** How long history is kept, and how often it is compacted. */
export interface CompactionOptions {
  readonly clock: Clock
  /** Milliseconds that history is kept. */
  readonly retentionMs: number
  /** Milliseconds between two passes. */
  readonly intervalMs: number
  /** Hears of a pass that failed; the next one goes on where it stopped. */
  readonly onFailure: (error: unknown) => void
}

/** Compacts to the revision of `keepMs` ago, every `everyMs`, until `signal` aborts. */
export async function compactRegularly(
  store: Store,
  { clock, retentionMs: keepMs, intervalMs: everyMs, onFailure: failed }: CompactionOptions,
  signal: AbortSignal,
): Promise<void> {
  const marks: { readonly at: number; readonly revision: Revision }[] = []
  while (!signal.aborted) {
    const now = clock.now()
    marks.push({ at: now, revision: await store.revision() })
    const due = marks.filter((mark) => mark.at <= now - keepMs)
    marks.splice(0, due.length)
    const last = due.at(-1)
    if (last !== undefined) await store.compact(last.revision).catch(failed)
    await pause(clock, everyMs, signal)
  }
}
