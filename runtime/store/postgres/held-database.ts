import type { Clock } from '../../kernel/async/clock.ts'
import type { StoreState } from '../dump.ts'
import { StoreError } from '../errors.ts'
import type { Query } from '../sql/log-reader.ts'
import { Database } from './database.ts'
import { explained, OpenError } from './database-error.ts'
import type { PostgresLocation } from './location.ts'
import { checkFormat, completedMigrations } from './migrations.ts'
import { keepServersAway } from './presence.ts'
import type { Session } from './session.ts'
import { storeId } from './values.ts'

/** How long a statement over all rows may take. */
const longMs = 24 * 3_600_000

/** A connection to a store for work that looks at all of it. */
export interface HeldDatabase {
  readonly database: Database
  readonly session: Session
  readonly schema: string
  /** Sends one statement, however long it takes. */
  readonly query: Query
  close(): Promise<void>
}

/** Connects. `alone`: keeps servers away, and fails if one has the store open. @throws Error that says what is wrong. */
export async function holdDatabase(
  { url }: PostgresLocation,
  clock: Clock,
  alone: boolean,
): Promise<HeldDatabase> {
  const database = await Database.open(url, clock)
  const { schema } = database.settings
  let session: Session | undefined
  const close = async (): Promise<void> => {
    await session?.close()
    await database.close()
  }
  try {
    const held = await database.session()
    session = held
    const query: Query = ({ sql, bindings }) => held.query({ text: sql, values: bindings }, longMs)
    for (const setting of settingsOf(schema)) await run(query, setting)
    if (alone) await keepServersAway(held, database.where, schema)
    return { database, session, schema, query, close }
  } catch (error) {
    await close()
    throw databaseError(database.where, error)
  }
}

/** Work over all rows takes as long as it takes. */
function settingsOf(schema: string): readonly string[] {
  return [
    `SET search_path TO "${schema}"`,
    'SET statement_timeout = 0',
    'SET idle_in_transaction_session_timeout = 0',
  ]
}

/** Sends a text without values. */
export async function run(query: Query, sql: string): Promise<void> {
  await query({ sql, bindings: [] })
}

/** @throws OpenError if there are no tables, or later ones than this program knows. */
export async function requireStore({ session, schema, database }: HeldDatabase): Promise<void> {
  const completed = await completedMigrations(session, schema)
  if (completed === undefined) {
    throw new OpenError(`${database.where}, schema ${schema}: there is no such store`)
  }
  checkFormat(completed, `${database.where}, schema ${schema}`)
}

/** The numbers of a store. */
export async function stateOf(query: Query): Promise<StoreState> {
  const sql = `SELECT ${storeId} AS store, h.rev::text AS rev, c.bound::text AS bound, c.trimmed::text AS trimmed
    FROM head h CROSS JOIN compaction c`
  const [row] = await query({ sql, bindings: [] })
  return {
    id: String(row?.store),
    revision: Number(row?.rev),
    compacted: Number(row?.bound),
    trimmed: Number(row?.trimmed),
  }
}

/** What is said of an error of the database. */
export function databaseError(where: string, error: unknown): Error {
  const isOurs = error instanceof OpenError || error instanceof StoreError
  const { code } = error as NodeJS.ErrnoException
  if (isOurs || code === undefined) return error as Error
  return new Error(`the database at ${where}: ${explained(error)}`, { cause: error })
}
