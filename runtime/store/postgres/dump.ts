import type { Clock } from '../../kernel/async/clock.ts'
import type { Revision } from '../contract.ts'
import type { StoreDump } from '../dump.ts'
import type { Change } from '../log-store.ts'
import { logPages } from '../sql/log-pages.ts'
import { LogReader } from '../sql/log-reader.ts'
import { LogStatements } from '../sql/log-statements.ts'
import {
  databaseError,
  type HeldDatabase,
  holdDatabase,
  requireStore,
  run,
  stateOf,
} from './held-database.ts'
import type { PostgresLocation } from './location.ts'
import { decodeValue, valueColumns } from './values.ts'

/**
 * What the store of a database holds at this moment; servers may go on writing, unless it is to be alone.
 *
 * @throws Error if there is no store, or servers have it open that may not.
 */
export async function dumpDatabase(
  location: PostgresLocation,
  { clock, alone = false }: { readonly clock: Clock; readonly alone?: boolean },
): Promise<StoreDump> {
  const held = await holdDatabase(location, clock, alone)
  try {
    await requireStore(held)
    await run(held.query, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const state = await stateOf(held.query)
    return { state, changes: changes(held, state.revision), close: held.close }
  } catch (error) {
    await held.close()
    throw databaseError(held.database.where, error)
  }
}

async function* changes(
  { database, query }: HeldDatabase,
  to: Revision,
): AsyncGenerator<readonly Change[], void> {
  const statements = new LogStatements(database.knex, valueColumns)
  const reader = new LogReader(statements, decodeValue)
  for await (const rows of logPages(statements, query, to)) {
    yield rows.map((row) => reader.toChange(row))
  }
}
