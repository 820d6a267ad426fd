import { realpathSync } from 'node:fs'
import type { Revision } from '../contract.ts'
import type { StoreDump, StoreState } from '../dump.ts'
import type { Change } from '../log-store.ts'
import { logPages } from '../sql/log-pages.ts'
import { LogReader, type Query as RowQuery } from '../sql/log-reader.ts'
import { decodeValue } from './decode-value.ts'
import { loadNumbers } from './load-state.ts'
import { fileError, holdFile, queryOf } from './owned-file.ts'
import { dumpOfOwner } from './owner-socket.ts'
import { migrate } from './schema.ts'
import type { Statements } from './statements.ts'

/**
 * What the store in a file holds at this moment. Where a server has it open, the server tells.
 *
 * @throws Error if there is no store, or a server has it open that is not to be asked.
 */
export async function dumpFile(file: string, alone: boolean): Promise<StoreDump> {
  const running = alone ? undefined : await dumpOfOwner(realPath(file))
  if (running !== undefined) return running
  const held = await holdFile(file)
  try {
    const { connection, statements } = held
    const state = await connection.run('write', async (query) => {
      await migrate(file, connection.knex, query)
      return stateOf(await loadNumbers(statements, query))
    })
    const query = queryOf(connection)
    return { state, changes: changesUpTo(statements, query, state.revision), close: held.close }
  } catch (error) {
    await held.close()
    throw fileError(file, error)
  }
}

/** The rows of the log up to a revision. */
export async function* changesUpTo(
  statements: Statements,
  query: RowQuery,
  revision: Revision,
): AsyncGenerator<readonly Change[], void> {
  const reader = new LogReader(statements, decodeValue)
  for await (const rows of logPages(statements, query, revision)) {
    yield rows.map((row) => reader.toChange(row))
  }
}

/** The part of what a store knows that goes with it. */
export function stateOf({
  id,
  revision,
  compact,
  trimmed,
}: {
  readonly id: string
  readonly revision: Revision
  readonly compact: Revision
  readonly trimmed: Revision
}): StoreState {
  return { id, revision, compacted: compact, trimmed }
}

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
