import type { Revision } from '../contract.ts'
import type { Row } from '../sql/statement.ts'
import type { PostgresStatement } from './connection.ts'
import type { Database } from './database.ts'
import { randomKey, type Session } from './session.ts'
import { awaitStandbys } from './standbys.ts'

/** A call whose answer never came: what it wrote is named by `batch`, and stands after `base`. */
export interface OpenCall {
  /** The lock that the session of the call holds until its server process is gone. */
  readonly lock: string
  readonly batch: string
  readonly base: Revision
}

/** A row that a call has written. */
export interface WrittenRow {
  readonly revision: Revision
  readonly createRevision: Revision
  readonly previousRevision: Revision
  readonly key: string
  /** The checksum of its value; undefined for a deletion. */
  readonly sum: number | undefined
}

/** What became of a call. */
export interface CallOutcome {
  readonly written: readonly WrittenRow[]
  /** False if rows that it wrote may be gone by now. */
  readonly complete: boolean
}

/**
 * A session that writes. It holds a lock of its own from its beginning to its end, by which a later session finds out that its server
 * process is gone: nothing that was sent to it takes effect after that.
 */
export class WriteSession {
  readonly lock = randomKey()
  readonly #session: Session

  private constructor(session: Session) {
    this.#session = session
  }

  /** @throws DatabaseError */
  static async open(database: Database): Promise<WriteSession> {
    const session = await database.session()
    const opened = new WriteSession(session)
    try {
      await session.query({ text: 'SELECT pg_advisory_lock($1)', values: [opened.lock] })
      await session.query({
        text: `SELECT set_config('synchronous_commit', 'on', false)
          WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
      })
      return opened
    } catch (error) {
      await session.close()
      throw error
    }
  }

  get lost(): boolean {
    return this.#session.lost
  }

  /** @throws DatabaseError, ConnectionLost */
  query(statement: PostgresStatement): Promise<readonly Row[]> {
    return this.#session.query(statement)
  }

  /**
   * Finds out what became of a call of a session that was lost. Its server process is ended first, if it is still there, and waited
   * for.
   *
   * @throws DatabaseError, ConnectionLost
   */
  async settle({ lock, batch, base }: OpenCall): Promise<CallOutcome> {
    await this.#session.query({ text: endHolder, values: [lock] })
    await this.#session.query({ text: 'SELECT pg_advisory_lock($1)', values: [lock] })
    await this.#session.query({ text: 'SELECT pg_advisory_unlock($1)', values: [lock] })
    await awaitStandbys((statement) => this.#session.query(statement))
    const rows = await this.#session.query({
      text: 'SELECT rev, cre, prev, key, sum FROM log WHERE rev > $1 AND batch = $2 ORDER BY rev',
      values: [base, batch],
    })
    const [compaction] = await this.#session.query({ text: 'SELECT bound FROM compaction' })
    const written = rows.map(({ rev, cre, prev, key, sum }) => ({
      revision: Number(rev),
      createRevision: Number(cre),
      previousRevision: Number(prev),
      key: String(key),
      sum: sum === null ? undefined : Number(sum),
    }))
    return { written, complete: Number(compaction?.bound) <= base }
  }

  close(): Promise<void> {
    return this.#session.close()
  }
}

/** A lock of one number is shown as its two halves. */
const endHolder = `SELECT pg_terminate_backend(pid) FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = (($1::bigint >> 32) & 4294967295)::oid AND objid = ($1::bigint & 4294967295)::oid`
