import type { Row } from '../sql/statement.ts'
import type { PostgresStatement } from './connection.ts'
import { ConnectionLost } from './database-error.ts'

/**
 * Resolves once every standby that commits wait for has all that can be read now.
 *
 * A database that was killed, or a session that was ended, while it waited for a standby shows the commit from then on, whether the
 * standby has it or not: without this wait something could be read that is gone when the standby takes over. A commit of one's own
 * comes after all of that, and waits for the standbys itself.
 *
 * @throws DatabaseError, ConnectionLost where the standbys do not answer in time.
 */
export async function awaitStandbys(
  query: (statement: PostgresStatement) => Promise<readonly Row[]>,
): Promise<void> {
  try {
    await query({ text: commitIfAwaited })
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error
    const why = `what it has is not confirmed by its standbys (synchronous_standby_names): ${error.message}`
    throw new ConnectionLost(why, { cause: error })
  }
}

const commitIfAwaited = `SELECT CASE
    WHEN current_setting('synchronous_standby_names') <> '' AND current_setting('transaction_read_only') = 'off'
    THEN pg_logical_emit_message(true, 'orch', '')::text END`
