import type { Knex } from 'knex'
import { OperatorError } from '../../kernel/errors/operator-error.ts'
import type { Row, Statement } from '../sql/statement.ts'
import type { Query } from './connection.ts'

/**
 * The pages of a new file. A commit writes each page that it touches to the log as a whole, so that small ones spare the disk
 * (DECISIONS: pages of a file).
 */
export const filePageBytes = 2048

/** What a fresh connection needs before anything else. The log has about four megabytes when it goes into the pages. */
const pragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'wal_autocheckpoint = 2000',
  'busy_timeout = 5000',
  'cache_size = -16384',
]

const incremental = 2

/** A step from one format of the tables to the next. */
interface Migration {
  /** The format that the step leaves, as `meta` names it. */
  readonly format: number
  statements(knex: Knex): readonly Statement[]
}

/**
 * `log` holds every version, `cur` points to the newest one of each live key; triggers keep it, so that a batch is one
 * statement. No index over (key, rev): it costs a third of all updates, and `prev` answers for old revisions. `meta`
 * holds id, format, compact (history is complete after it) and trimmed (rows are gone up to it).
 *
 * The schema builder has no word for WITHOUT ROWID and for triggers.
 */
const first: Migration = {
  format: 1,
  statements: (knex) => [
    ...compile(
      knex.schema.createTable('log', (table) => {
        table.integer('rev').primary()
        table.text('key').notNullable()
        for (const column of ['prev', 'cre', 'op']) table.integer(column).notNullable()
        table.binary('value')
      }),
    ),
    raw(`CREATE TABLE cur (key TEXT PRIMARY KEY NOT NULL, rev INTEGER NOT NULL, cre INTEGER NOT NULL)
      WITHOUT ROWID`),
    raw('CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID'),
    raw(`CREATE TRIGGER log_put AFTER INSERT ON log WHEN new.op <> 2 BEGIN
      INSERT INTO cur (key, rev, cre) VALUES (new.key, new.rev, new.cre)
      ON CONFLICT (key) DO UPDATE SET rev = excluded.rev, cre = excluded.cre; END`),
    raw(`CREATE TRIGGER log_del AFTER INSERT ON log WHEN new.op = 2 BEGIN
      DELETE FROM cur WHERE key = new.key; END`),
    raw(`INSERT INTO meta (name, value)
      VALUES ('id', lower(hex(randomblob(16)))), ('format', '0'), ('compact', '0'), ('trimmed', '0')`),
  ],
}

/** `sum` is the checksum of key and value, so that a damaged value is never taken for one that was written. */
const checksums: Migration = {
  format: 2,
  statements: () => [raw('ALTER TABLE log ADD COLUMN sum INTEGER')],
}

/** In the order in which they are applied. A change of the tables is another entry at the end. */
const migrations: readonly Migration[] = [first, checksums]

/** Every statement that makes the tables. */
export function createStatements(knex: Knex): readonly Statement[] {
  return migrations.flatMap(({ statements }) => statements(knex))
}

/** The format that this code reads and writes. */
export const storeFormat = Math.max(...migrations.map(({ format }) => format))

/**
 * Sets the connection up. Nothing is written to a database that is set up, so that one on a full disk can be read; it keeps the
 * pages that it has.
 */
export async function applyPragmas(query: Query, pageBytes = filePageBytes): Promise<void> {
  // These come first: after journal_mode they are ignored.
  await query(`PRAGMA page_size = ${pageBytes}`)
  const [mode] = await query('PRAGMA auto_vacuum')
  if (mode?.auto_vacuum !== incremental) await query(`PRAGMA auto_vacuum = ${incremental}`)
  for (const pragma of pragmas) await query(`PRAGMA ${pragma}`)
}

/**
 * Brings the tables of a database into this code's format, all steps or none. Resolves to true if there were none before.
 * Fails if it is a database of something else, or a store of a format that this code does not know.
 */
export async function migrate(filename: string, knex: Knex, query: Query): Promise<boolean> {
  const format = await formatOf(filename, query)
  const due = migrations.filter((one) => one.format > format)
  if (due.length === 0) return false
  await query('BEGIN')
  for (const { statements, format } of due) {
    for (const statement of statements(knex)) await query(statement)
    await query(`UPDATE meta SET value = '${format}' WHERE name = 'format'`)
  }
  await query('COMMIT')
  return format === 0
}

/** What `meta` says of every store. */
const numbers = ['id', 'format', 'compact', 'trimmed']

/** What `meta` should say and does not, of a store that has all else of this code's format. */
export async function missingNumbers(query: Query): Promise<readonly string[]> {
  const [tables] = await query(
    "SELECT count(*) AS found FROM sqlite_master WHERE type = 'table' AND name IN ('log', 'cur', 'meta')",
  )
  if (tables?.found !== 3) return []
  const sums = await query("SELECT name FROM pragma_table_info('log') WHERE name = 'sum'")
  return sums.length === 0 ? [] : numbersMissingIn(await query('SELECT name FROM meta'))
}

function numbersMissingIn(rows: readonly Row[]): readonly string[] {
  return numbers.filter((number) => !rows.some(({ name }) => name === number))
}

/** The format of a store; 0 for a database without tables. */
async function formatOf(filename: string, query: Query): Promise<number> {
  const tables = await query("SELECT name FROM sqlite_master WHERE type = 'table'")
  const names = tables.map(({ name }) => name)
  if (names.length === 0) return 0
  if (!names.includes('meta'))
    throw new OperatorError(`${filename}: is a database, but not a store`)
  const said = await query('SELECT name, value FROM meta')
  if (numbersMissingIn(said).length > 0)
    throw new OperatorError(
      `${filename}: its table meta is not whole: orch store doctor --repair mends it`,
    )
  const found = said.find(({ name }) => name === 'format')
  const format = Number(found?.value)
  if (format >= 1 && format <= storeFormat) return format
  throw new OperatorError(
    `${filename}: has store format ${found?.value}, this program knows ${storeFormat}`,
  )
}

function compile(builder: Knex.SchemaBuilder): readonly Statement[] {
  const { toSQL } = builder as unknown as { toSQL(): readonly Statement[] }
  return toSQL.call(builder)
}

function raw(sql: string): Statement {
  return { sql, bindings: [] }
}
