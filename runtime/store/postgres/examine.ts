import type { Clock } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
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
import type { DatabaseError } from './database-error.ts'
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
import { mendTables, tip } from './tables.ts'
import { decodeValue, valueColumns } from './values.ts'

/**
 * Looks for everything that is wrong with the store of a database: its tables, its numbers, every row and every pointer.
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
    await run(held.query, examination.repaired ? 'COMMIT' : 'ROLLBACK')
    return examination
  } catch (error) {
    if (!isDamage(error)) throw databaseError(held.database.where, error)
    const findings = new Findings()
    findings.add('pages', `the database cannot read its own: ${errorText(error)}`, 'restore')
    return unreadable(findings)
  } finally {
    await held.close()
  }
}

/** True where pages of tables or of indexes are not as the database wrote them. */
function isDamage(error: unknown): boolean {
  return /^XX00[12]$/.test((error as DatabaseError).code ?? '')
}

function unreadable({ listed, count }: Findings): Examination {
  return { state: undefined, rows: 0, objects: 0, findings: listed, count, repaired: false }
}

async function examine(held: HeldDatabase, options: ExaminationOptions): Promise<Examination> {
  const findings = new Findings()
  const { query, schema } = held
  if (!(await mendTables(query, schema, findings))) return unreadable(findings)
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

/** Numbers that contradict each other are taken for what leaves most of the history believed. */
function soundState(state: StoreState, findings: Findings): StoreState {
  const { revision, compacted, trimmed } = state
  if (trimmed >= 0 && trimmed <= compacted && compacted <= revision) return state
  const text = `revision ${revision}, bound ${compacted}, trimmed ${trimmed} contradict each other`
  findings.add('state', text, 'repair')
  const bound = Math.max(compacted, 0)
  return {
    ...state,
    revision: Math.max(revision, bound),
    compacted: bound,
    trimmed: Math.min(Math.max(trimmed, 0), bound),
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
  // As the tables are found: a revision that was given once is not given again.
  const [row] = await query({ sql: `SELECT (${tip})::text AS tip`, bindings: [] })
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
  const end = Math.max(revision, compacted, Number(row?.tip)) + 1
  await query({ sql: 'UPDATE head SET rev = $1::bigint', bindings: [end] })
  await query({
    sql: 'UPDATE compaction SET bound = $1::bigint, trimmed = $1::bigint',
    bindings: [end],
  })
}
