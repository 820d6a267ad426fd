/**
 * Compaction: deletes versions that were replaced or deleted up to a revision. Of the servers of a database one at a time does it: it
 * holds a lock that the database releases when its connection ends.
 *
 * The bound is raised first, so that who finds rows missing finds out why. Then rows go in slices, each a transaction of its own that
 * also says how far they came: a compaction goes on where another one stopped.
 */
import type { Revision } from '../contract.ts'
import { maxBatchWrites } from '../sql/batch.ts'
import type { LogStatements } from '../sql/log-statements.ts'
import type { Row } from '../sql/statement.ts'
import type { Database } from './database.ts'
import type { Session } from './session.ts'

/** How many revisions are looked at in one transaction. */
const sliceRevisions = 2 * maxBatchWrites

/** Compacts for one server, one pass at a time. */
export class Compactor {
  readonly #database: Database
  readonly #statements: LogStatements
  #bound: Revision
  #running: Promise<unknown> = Promise.resolve()

  constructor(database: Database, statements: LogStatements, bound: Revision) {
    this.#database = database
    this.#statements = statements
    this.#bound = bound
  }

  /** History after this revision is complete, as far as this server knows. */
  get bound(): Revision {
    return this.#bound
  }

  /** Another server has raised the bound. */
  raised(bound: Revision): void {
    this.#bound = Math.max(this.#bound, bound)
  }

  /** Compacts, once no other server does. */
  compact(revision: Revision): Promise<void> {
    return this.#once(
      'SELECT pg_advisory_lock(hashtext($1), hashtext($2))::text IS NOT NULL AS held',
      revision,
    )
  }

  /** Compacts, unless another server does. */
  compactAlone(revision: Revision): Promise<void> {
    return this.#once('SELECT pg_try_advisory_lock(hashtext($1), hashtext($2)) AS held', revision)
  }

  #once(lock: string, revision: Revision): Promise<void> {
    const pass = this.#running.then(() => this.#pass(lock, revision))
    this.#running = pass.catch(() => {})
    return pass
  }

  async #pass(lock: string, revision: Revision): Promise<void> {
    const session = await this.#database.session()
    try {
      const values = ['orch compaction', this.#database.settings.schema]
      const [row] = await session.query({ text: lock, values })
      if (String(row?.held) === 'true') await this.#compact(session, revision)
    } finally {
      await session.close()
    }
  }

  async #compact(session: Session, revision: Revision): Promise<void> {
    const [found] = await session.query({
      text: 'UPDATE compaction SET bound = GREATEST(bound, $1) RETURNING bound, trimmed',
      values: [revision],
    })
    this.raised(numberOf(found?.bound))
    for (let from = numberOf(found?.trimmed); from < this.#bound; from += sliceRevisions) {
      await this.#slice(session, from, Math.min(from + sliceRevisions, this.#bound))
    }
  }

  async #slice(session: Session, from: Revision, to: Revision): Promise<void> {
    const { sql, bindings } = this.#statements.deleteObsolete(from, to)
    await session.query({ text: 'BEGIN' })
    await session.query({ text: sql, values: bindings })
    await session.query({ text: 'UPDATE compaction SET trimmed = $1', values: [to] })
    await session.query({ text: 'COMMIT' })
  }
}

function numberOf(value: Row[string] | undefined): number {
  return Number(value)
}
