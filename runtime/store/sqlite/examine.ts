import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
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
import type { Row } from '../sql/statement.ts'
import { transaction } from './compaction.ts'
import type { DriverError, Query } from './connection.ts'
import { decodeValue } from './decode-value.ts'
import { stateOf } from './dump.ts'
import { loadNumbers } from './load-state.ts'
import { holdFile, type OwnedFile, queryOf } from './owned-file.ts'
import { createStatements, migrate, missingNumbers, storeFormat } from './schema.ts'
import { LostWritesError } from './write-ahead-log.ts'

/**
 * Looks for everything that is wrong with the store in a file: pages, tables, numbers, every row and every pointer.
 *
 * @throws Error if there is no store, or if a process owns it.
 */
export async function examineFile(file: string, options: ExaminationOptions): Promise<Examination> {
  const findings = new Findings()
  const found = (await stat(file).catch(() => undefined))?.size
  let held: OwnedFile
  try {
    held = await holdFile(file, options.repair === true && options.acceptLoss === true)
  } catch (error) {
    if (error instanceof LostWritesError) return cutOff(findings, error)
    if (!isDamage(error) || !found) throw error
    return unreadable(findings, error)
  }
  try {
    return await examine(file, held, findings, options)
  } catch (error) {
    if (!isDamage(error)) throw error
    return unreadable(findings, error)
  } finally {
    await held.close().catch(() => {})
  }
}

async function examine(
  file: string,
  held: OwnedFile,
  findings: Findings,
  options: ExaminationOptions,
): Promise<Examination> {
  const { connection, statements } = held
  const query = queryOf(connection)
  if (held.lost !== undefined)
    findings.add('lost', new LostWritesError(file, held.lost).message, 'accept loss')
  await checkPages(query, findings)
  const missing = await missingNumbers(query)
  if (missing.length > 0)
    findings.add('tables', `the table meta does not say ${missing.join(', ')}`, 'repair')
  else await connection.run('write', (run) => migrate(file, connection.knex, run))
  await checkTables(held, query, findings)
  const numbers = stateOf(await loadNumbers(statements, query))
  const state = soundState(numbers, findings)
  const log = await examineLog(state, rowsOf(held, query, state), pointersOf(held, query), findings)
  const repaired = mayRepair(findings, options) && !held.readOnly
  if (repaired) await connection.run('write', (run) => repair(held, run, state, log, findings))
  const { rows, objects } = log
  return { state, rows, objects, findings: findings.listed, count: findings.count, repaired }
}

function unreadable(findings: Findings, error: unknown): Examination {
  const { code = '', message } = error as DriverError
  findings.add('pages', `the file cannot be read: ${code || message}`, 'restore')
  return notExamined(findings)
}

/** Nothing else is looked at: what the log still has would be gone with the first look. */
function cutOff(findings: Findings, { message }: LostWritesError): Examination {
  findings.add('lost', message, 'accept loss')
  return notExamined(findings)
}

function notExamined({ listed, count }: Findings): Examination {
  return { state: undefined, rows: 0, objects: 0, findings: listed, count, repaired: false }
}

/** True for an error that says that the file is not as it was written. */
function isDamage(error: unknown): boolean {
  const { code = '' } = error as DriverError
  return code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_IOERR')
}

async function checkPages(query: Query, findings: Findings): Promise<void> {
  const rows = await query('PRAGMA integrity_check(20)')
  for (const { integrity_check: text } of rows) {
    if (text !== 'ok') findings.add('pages', String(text).trim().replaceAll('\n', ' '), 'restore')
  }
}

async function checkTables(
  { connection }: OwnedFile,
  query: Query,
  findings: Findings,
): Promise<void> {
  const there = await query('SELECT name, sql FROM sqlite_master')
  for (const [name, sql] of triggers(connection.knex)) {
    const found = there.find((row) => row.name === name)
    if (found?.sql === sql) continue
    findings.add(
      'tables',
      `the trigger ${name} ${found ? 'is another one' : 'is not there'}`,
      'repair',
    )
  }
}

/** The triggers of a store, by name. */
function triggers(
  knex: Parameters<typeof createStatements>[0],
): readonly (readonly [string, string])[] {
  return createStatements(knex).flatMap(({ sql }) => {
    const name = /^CREATE TRIGGER (\w+)/.exec(sql)?.[1]
    return name === undefined ? [] : [[name, sql] as const]
  })
}

/** Numbers that contradict each other are taken for what leaves most of the history believed. */
function soundState(state: StoreState, findings: Findings): StoreState {
  const { id, revision, compacted, trimmed } = state
  const named = /^[0-9a-f-]{32,36}$/.test(id)
  const sound =
    named &&
    [revision, compacted, trimmed].every((one) => Number.isSafeInteger(one) && one >= 0) &&
    trimmed <= compacted
  if (sound) return state
  findings.add(
    'state',
    `id ${id}, compact ${compacted}, trimmed ${trimmed} contradict each other`,
    'repair',
  )
  const bound = Number.isSafeInteger(compacted) && compacted >= 0 ? compacted : 0
  const gone = Number.isSafeInteger(trimmed) && trimmed >= 0 ? trimmed : bound
  // A store whose name is gone gets another one, so that nothing takes it for the one it was.
  return {
    id: named ? id : randomUUID().replaceAll('-', ''),
    revision: Number.isSafeInteger(revision) ? revision : bound,
    compacted: bound,
    trimmed: Math.min(gone, bound),
  }
}

async function* rowsOf(
  { statements }: OwnedFile,
  query: Query,
  { revision }: StoreState,
): AsyncGenerator<readonly ExaminedRow[], void> {
  const reader = new LogReader(statements, decodeValue)
  for await (const rows of logPages(
    statements,
    query,
    Math.max(revision, Number.MAX_SAFE_INTEGER),
  )) {
    yield rows.map((row) => examinedRow(row, (one) => reader.toChange(one), bareChange))
  }
}

/** The change of a row whose value cannot be believed. */
function bareChange({ rev, key, prev, cre, op, value }: Row): Change {
  return {
    revision: Number(rev),
    key: String(key),
    previousRevision: Number(prev),
    createRevision: Number(cre),
    value: op === 2 ? undefined : value instanceof Uint8Array ? value : new Uint8Array(),
  }
}

async function* pointersOf(
  { statements }: OwnedFile,
  query: Query,
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

/** One transaction: triggers, rows that cannot be believed, pointers, and where history was touched, its end. */
async function repair(
  { connection, lost }: OwnedFile,
  query: Query,
  { id, revision }: StoreState,
  { damaged, logDecides }: ExaminedLog,
  findings: Findings,
): Promise<void> {
  await transaction(query, async () => {
    for (const [name, sql] of triggers(connection.knex)) {
      await query(`DROP TRIGGER IF EXISTS ${name}`)
      await query(sql)
    }
    for (const rev of damaged)
      await query({ sql: 'DELETE FROM log WHERE rev = ?', bindings: [rev] })
    for (const sql of logDecides ? pointersOfLog : logOfPointers) await query(sql)
    if (!findings.has('state', 'history', 'log', 'obsolete', 'lost')) return
    await query('DELETE FROM log WHERE rev NOT IN (SELECT rev FROM cur)')
    // A revision takes more than a byte of the log: none that was given away is given again.
    const end = String(revision + 1 + (lost?.bytes ?? 0))
    const numbers = { id, format: String(storeFormat), compact: end, trimmed: end }
    for (const bindings of Object.entries(numbers))
      await query({ sql: 'INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', bindings })
  })
}

/** The newest row of each key says what is alive. */
const pointersOfLog = [
  'DELETE FROM cur',
  `INSERT INTO cur (key, rev, cre) SELECT key, rev, cre FROM log
    WHERE op <> 2 AND rev IN (SELECT max(rev) FROM log GROUP BY key)`,
]

/** What is alive stays where its row is there. */
const logOfPointers = [
  `DELETE FROM cur WHERE NOT EXISTS
    (SELECT 1 FROM log WHERE log.rev = cur.rev AND log.key = cur.key AND log.op <> 2)`,
]
