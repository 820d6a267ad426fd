/**
 * Compaction: forgets versions that were replaced or deleted up to a revision.
 *
 * The bound is raised first, in memory and in the database, so that no reader trusts history that is being deleted. Then
 * rows go in slices, each a maintenance job of its own between two write batches. How far the slices came is durable, so a
 * crash resumes; the work is proportional to the slice and cannot spiral.
 */
import { type Clock, pause } from '../../kernel/async/clock.ts'
import type { Revision, Store } from '../store.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

const sliceRevisions = 200

export class Compactor {
  readonly #database: Connection
  readonly #dialect: Dialect
  #bound: Revision
  #durableBound: Revision
  #trimmed: Revision
  #running: Promise<void> = Promise.resolve()

  constructor(database: Connection, dialect: Dialect, bound: Revision, trimmed: Revision) {
    this.#database = database
    this.#dialect = dialect
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
    const { sql, bindings } = this.#dialect.deleteObsolete(this.#trimmed, to)
    await this.#database.run('maintenance', (query) => query(sql, bindings))
    await this.#store('trimmed', to)
    this.#trimmed = to
    await this.#database.run('maintenance', (query) => query(this.#dialect.vacuum))
  }

  #store(name: string, revision: Revision): Promise<unknown> {
    const { sql, bindings } = this.#dialect.setMeta(name, String(revision))
    return this.#database.run('maintenance', (query) => query(sql, bindings))
  }
}

export interface CompactionOptions {
  readonly clock: Clock
  /** How long history is kept. */
  readonly retentionMs: number
  readonly intervalMs: number
  /** Told of a pass that failed; the next one goes on where it stopped. */
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
