import type { Clock } from '../../kernel/async/clock.ts'
import {
  type ExaminedLog,
  type ExaminedRow,
  examinedRow,
  examineLog,
  Findings,
  mayRepair,
  type Pointer,
} from '../archive/examination.ts'
import type { StoreState } from '../dump.ts'
import type { Examination, ExaminationOptions } from '../keeper.ts'
import type { Change } from '../log-store.ts'
import { logPages } from '../sql/log-pages.ts'
import { LogReader } from '../sql/log-reader.ts'
import { LogStatements } from '../sql/log-statements.ts'
import type { Row } from '../sql/statement.ts'
import {
  databaseError,
  type HeldDatabase,
  holdDatabase,
  requireStore,
  run,
  stateOf,
} from './held-database.ts'
import { pointersOfLog } from './load.ts'
import type { PostgresLocation } from './location.ts'
import { commitBatch } from './migrations.ts'
import { decodeValue, valueColumns } from './values.ts'

/**
 * Looks for everything that is wrong with the store of a database: its function, its numbers, every row and every pointer.
 *
 * @throws Error if there is no store, or if servers have it open.
 */
export async function examineDatabase(
  location: PostgresLocation,
  options: ExaminationOptions & { readonly clock: Clock },
): Promise<Examination> {
  const held = await holdDatabase(location, options.clock, true)
  try {
    await requireStore(held)
    await run(held.query, 'BEGIN ISOLATION LEVEL REPEATABLE READ')
    const examination = await examine(held, options)
    await run(held.query, 'COMMIT')
    return examination
  } catch (error) {
    throw databaseError(held.database.where, error)
  } finally {
    await held.close()
  }
}

async function examine(held: HeldDatabase, options: ExaminationOptions): Promise<Examination> {
  const findings = new Findings()
  const { query, schema } = held
  const [found] = await query({ sql: functionText, bindings: [schema] })
  if (found?.body !== bodyOf(commitBatch)) {
    findings.add(
      'tables',
      'the function commit_batch is not the one that this program makes',
      'repair',
    )
  }
  const state = soundState(await stateOf(query), findings)
  const statements = new LogStatements(held.database.knex, valueColumns)
  const log = await examineLog(
    state,
    rowsOf(held, statements),
    pointersOf(held, statements),
    findings,
  )
  const repaired = mayRepair(findings, options)
  if (repaired) await repair(held, state, log, findings)
  const { rows, objects } = log
  return { state, rows, objects, findings: findings.listed, count: findings.count, repaired }
}

const functionText = `SELECT prosrc AS body FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = $1 AND p.proname = 'commit_batch'`

/** What stands between the dollars of a function. */
function bodyOf(text: string): string {
  return text.slice(text.indexOf('$$') + 2, text.lastIndexOf('$$'))
}

function soundState(state: StoreState, findings: Findings): StoreState {
  const { revision, compacted, trimmed } = state
  const sound = [revision, compacted, trimmed].every((one) => Number.isSafeInteger(one) && one >= 0)
  if (sound && trimmed <= compacted && compacted <= revision) return state
  findings.add(
    'state',
    `revision ${revision}, bound ${compacted}, trimmed ${trimmed} contradict each other`,
    'repair',
  )
  const [latest, bound, gone] = [revision, compacted, trimmed].map((one) => Number(one) || 0) as [
    number,
    number,
    number,
  ]
  return {
    ...state,
    revision: Math.max(latest, bound),
    compacted: bound,
    trimmed: Math.min(gone, bound),
  }
}

async function* rowsOf(
  { query }: HeldDatabase,
  statements: LogStatements,
): AsyncGenerator<readonly ExaminedRow[], void> {
  const reader = new LogReader(statements, decodeValue)
  for await (const rows of logPages(statements, query, Number.MAX_SAFE_INTEGER)) {
    yield rows.map((row) => examinedRow(row, (one) => reader.toChange(one), bareChange))
  }
}

function bareChange({ rev, key, prev, cre, op }: Row): Change {
  return {
    revision: Number(rev),
    key: String(key),
    previousRevision: Number(prev),
    createRevision: Number(cre),
    value: Number(op) === 2 ? undefined : new Uint8Array(),
  }
}

async function* pointersOf(
  { query }: HeldDatabase,
  statements: LogStatements,
): AsyncGenerator<readonly Pointer[], void> {
  for (let after = ''; ; ) {
    const rows = await query(statements.pointers(after, pointerPage))
    yield rows.map(({ key, rev, cre }) => ({
      key: String(key),
      revision: Number(rev),
      createRevision: Number(cre),
    }))
    if (rows.length < pointerPage) return
    after = String(rows.at(-1)?.key)
  }
}

const pointerPage = 4096

async function repair(
  { query }: HeldDatabase,
  { revision, compacted }: StoreState,
  { damaged, logDecides }: ExaminedLog,
  findings: Findings,
): Promise<void> {
  if (findings.has('tables')) await run(query, commitBatch.replace('CREATE', 'CREATE OR REPLACE'))
  for (const rev of damaged) await query({ sql: 'DELETE FROM log WHERE rev = $1', bindings: [rev] })
  if (logDecides) {
    await run(query, 'DELETE FROM cur')
    await run(query, pointersOfLog)
  } else {
    await run(
      query,
      `DELETE FROM cur c WHERE NOT EXISTS
      (SELECT 1 FROM log l WHERE l.rev = c.rev AND l.key = c.key AND l.op <> 2)`,
    )
  }
  if (!findings.has('state', 'history', 'log', 'obsolete', 'lost')) return
  await run(query, 'DELETE FROM log l WHERE NOT EXISTS (SELECT 1 FROM cur c WHERE c.rev = l.rev)')
  const [row] = await query({
    sql: 'SELECT coalesce(max(rev), 0)::text AS tip FROM log',
    bindings: [],
  })
  const end = Math.max(revision, compacted, Number(row?.tip)) + 1
  await query({ sql: 'UPDATE head SET rev = $1::bigint', bindings: [end] })
  await query({
    sql: 'UPDATE compaction SET bound = $1::bigint, trimmed = $1::bigint',
    bindings: [end],
  })
}
