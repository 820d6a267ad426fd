import type { Clock } from '../../kernel/async/clock.ts'
import { checkedChanges } from '../archive/checked-changes.ts'
import { checksumOf } from '../checksum.ts'
import { type LoadedStore, type LoadOptions, loadedState, type StoreDump } from '../dump.ts'
import type { Change } from '../log-store.ts'
import { takeBatch } from '../sql/batch.ts'
import type { Query } from '../sql/log-reader.ts'
import { bigintElement, binaryArray, smallintElement } from './binary-array.ts'
import { OpenError } from './database-error.ts'
import { databaseError, type HeldDatabase, holdDatabase, run, stateOf } from './held-database.ts'
import type { PostgresLocation } from './location.ts'
import { completedMigrations, migrate } from './migrations.ts'
import { isText } from './values.ts'

/**
 * Makes the store of a dump in the schema of a database, in one transaction.
 *
 * @throws Error if servers have the store open, or if it holds something and is not to be replaced.
 */
export async function loadDatabase(
  location: PostgresLocation,
  dump: StoreDump,
  options: LoadOptions & { readonly clock: Clock },
): Promise<LoadedStore> {
  const held = await holdDatabase(location, options.clock, true)
  const { database, session, schema, query } = held
  try {
    const isNew = (await completedMigrations(session, schema)) === undefined
    const [named] = await session.query({
      text: 'SELECT to_regnamespace($1)::text AS name',
      values: [schema],
    })
    try {
      await migrate(database, session)
      return await load(held, dump, options)
    } catch (error) {
      await run(query, 'ROLLBACK').catch(() => {})
      if (isNew) await run(query, named?.name ? dropTables : `DROP SCHEMA "${schema}" CASCADE`)
      throw error
    }
  } catch (error) {
    throw databaseError(database.where, error)
  } finally {
    await held.close()
  }
}

const dropTables = `DROP TABLE IF EXISTS head, compaction, log, cur, migrations, migrations_lock CASCADE;
  DROP FUNCTION IF EXISTS commit_batch`

async function load(
  { query, schema, database }: HeldDatabase,
  dump: StoreDump,
  options: LoadOptions,
): Promise<LoadedStore> {
  await run(query, 'BEGIN')
  await run(query, 'SELECT rev::text FROM head FOR UPDATE')
  const { revision } = await stateOf(query)
  if (revision > 0 && options.replace !== true) {
    throw new Error(
      `${database.where}, schema ${schema}: holds a store: name another schema, or replace it with --replace`,
    )
  }
  await run(query, 'TRUNCATE log, cur')
  let loaded = 0
  for await (const changes of checkedChanges(dump)) {
    loaded += changes.length
    const rows = changes.map((change) => ({ ...change }))
    while (rows.length > 0) {
      await query({ sql: insertText, bindings: insertValues(takeBatch(rows)) })
    }
  }
  await checkKept(query, loaded, `${database.where}, schema ${schema}`)
  await run(query, pointersOfLog)
  if (options.skippedRevisions !== undefined) {
    await run(query, 'DELETE FROM log l WHERE NOT EXISTS (SELECT 1 FROM cur c WHERE c.rev = l.rev)')
  }
  const state = loadedState(dump.state, options)
  await query({
    sql: 'UPDATE head SET rev = $1::bigint, store = $2::uuid',
    bindings: [state.revision, uuidOf(state.id)],
  })
  await query({
    sql: 'UPDATE compaction SET bound = $1::bigint, trimmed = $2::bigint',
    bindings: [state.compacted, state.trimmed],
  })
  const [row] = await query({ sql: 'SELECT count(*)::text AS objects FROM cur', bindings: [] })
  await run(query, 'COMMIT')
  await run(query, 'ANALYZE log, cur')
  return { state, objects: Number(row?.objects) }
}

/** @throws OpenError if the log has not all rows that were written to it. */
async function checkKept(query: Query, rows: number, where: string): Promise<void> {
  const [row] = await query({ sql: 'SELECT count(*)::text AS kept FROM log', bindings: [] })
  if (Number(row?.kept) === rows) return
  throw new OpenError(
    `${where}: keeps ${row?.kept} of ${rows} rows that are written: orch store doctor says why`,
  )
}

/** The pointers that a log stands for. */
export const pointersOfLog = `INSERT INTO cur (key, rev, cre)
  SELECT key, rev, cre FROM (SELECT DISTINCT ON (key) key, rev, cre, op FROM log ORDER BY key, rev DESC) newest WHERE op <> 2`

const insertText = `INSERT INTO log (rev, key, prev, cre, op, value, bytes, sum, batch)
  SELECT r, k, p, c, o, v, b, s, 0 FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::smallint[], $6::text[],
    $7::bytea[], $8::bigint[]) AS rows (r, k, p, c, o, v, b, s)`

function insertValues(rows: readonly Change[]): readonly Buffer[] {
  const numbers = (of: (row: Change) => number) =>
    binaryArray(
      'bigint',
      rows.map((row) => bigintElement(of(row))),
    )
  const texts = rows.map(({ value }) => (value !== undefined && isText(value) ? value : undefined))
  return [
    numbers(({ revision }) => revision),
    binaryArray(
      'text',
      rows.map(({ key }) => Buffer.from(key)),
    ),
    numbers(({ previousRevision }) => previousRevision),
    numbers(({ createRevision }) => createRevision),
    binaryArray(
      'smallint',
      rows.map((row) => smallintElement(opOf(row))),
    ),
    binaryArray('text', texts),
    binaryArray(
      'bytea',
      rows.map(({ value }, at) => (texts[at] === undefined ? value : undefined)),
    ),
    binaryArray(
      'bigint',
      rows.map(({ key, value }) => value && bigintElement(checksumOf(key, value))),
    ),
  ]
}

function opOf({ previousRevision, value }: Change): number {
  if (value === undefined) return 2
  return previousRevision === 0 ? 0 : 1
}

/** A file names its store by 32 digits, a database by the same with dashes. */
function uuidOf(id: string): string {
  return id.replaceAll('-', '').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
