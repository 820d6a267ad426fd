/** Whether the tables of a store are as its migrations make them, and what makes them so again. */
import type { Findings } from '../archive/examination.ts'
import type { Query } from '../sql/log-reader.ts'
import { run } from './held-database.ts'
import { pointersOfLog } from './load.ts'
import { commitBatch, migrationNames } from './migrations.ts'

/** The columns of each table; the first one is its key. */
const columns: Readonly<Record<string, readonly string[]>> = {
  log: ['rev', 'key', 'prev', 'cre', 'op', 'value', 'bytes', 'sum', 'batch'],
  cur: ['key', 'rev', 'cre'],
  head: ['id', 'rev', 'store'],
  compaction: ['id', 'bound', 'trimmed'],
}

/**
 * Mends the tables within the transaction of the query, so that rows can be read; whether that stays is for who ends the transaction.
 * Gives false where rows cannot be read all the same.
 */
export async function mendTables(
  query: Query,
  schema: string,
  findings: Findings,
): Promise<boolean> {
  const missing = await missingColumns(query, schema)
  if (missing.get('cur')?.length === columns.cur?.length) {
    findings.add('tables', 'the table cur is not there', 'repair')
    await run(
      query,
      'CREATE TABLE cur (key text COLLATE "C" PRIMARY KEY, rev bigint NOT NULL, cre bigint NOT NULL) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)',
    )
    await run(query, pointersOfLog)
    missing.delete('cur')
  }
  for (const [table, names] of missing) {
    const text = `the table ${table} has no ${names.join(', ')}`
    findings.add('tables', text, 'restore')
  }
  if (missing.size > 0) return false
  await mendFormat(query, findings)
  await mendTriggers(query, schema, findings)
  await mendFunction(query, schema, findings)
  await mendRows(query, findings)
  return mendKeys(query, schema, findings)
}

async function missingColumns(
  query: Query,
  schema: string,
): Promise<Map<string, readonly string[]>> {
  const sql =
    'SELECT table_name AS table, column_name AS name FROM information_schema.columns WHERE table_schema = $1'
  const rows = await query({ sql, bindings: [schema] })
  const there = new Set(rows.map(({ table, name }) => `${table} ${name}`))
  const all = Object.entries(columns).map(
    ([table, names]) => [table, names.filter((name) => !there.has(`${table} ${name}`))] as const,
  )
  return new Map(all.filter(([, names]) => names.length > 0))
}

/** Tables that have every column have been through every step, whatever is said of it. The table that says so is Knex's. */
async function mendFormat(query: Query, findings: Findings): Promise<void> {
  await run(
    query,
    'CREATE TABLE IF NOT EXISTS migrations (id serial PRIMARY KEY, name varchar(255), batch int, migration_time timestamptz)',
  )
  const said = await query({ sql: 'SELECT name FROM migrations', bindings: [] })
  const missing = migrationNames.filter((step) => !said.some(({ name }) => name === step))
  if (missing.length === 0) return
  findings.add('tables', `the table migrations does not say ${missing.join(', ')}`, 'repair')
  for (const name of missing) {
    const sql = 'INSERT INTO migrations (name, batch, migration_time) VALUES ($1, 1, now())'
    await query({ sql, bindings: [name] })
  }
}

/** Triggers that come before a row, and rules, may change what is written, or keep it away. Others change nothing in a row. */
const strangers = `SELECT c.relname AS table, t.tgname AS name, 'trigger' AS kind FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal AND t.tgtype & 2 = 2
  UNION ALL SELECT c.relname, r.rulename, 'rule' FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r'`

async function mendTriggers(query: Query, schema: string, findings: Findings): Promise<void> {
  for (const { table, name, kind } of await query({ sql: strangers, bindings: [schema] })) {
    if (columns[String(table)] === undefined) continue
    findings.add('tables', `the ${kind} ${name} of ${table} may change what is written`, 'repair')
    await run(query, `DROP ${kind} "${String(name).replaceAll('"', '""')}" ON ${table}`)
  }
}

const functionText = `SELECT prosrc AS body FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = $1 AND p.proname = 'commit_batch'`

async function mendFunction(query: Query, schema: string, findings: Findings): Promise<void> {
  const [found] = await query({ sql: functionText, bindings: [schema] })
  if (found?.body === bodyOf(commitBatch)) return
  const text = 'the function commit_batch is not the one that this program makes'
  findings.add('tables', text, 'repair')
  await run(query, commitBatch.replace('CREATE', 'CREATE OR REPLACE'))
}

/** What stands between the dollars of a function. */
function bodyOf(text: string): string {
  return text.slice(text.indexOf('$$') + 2, text.lastIndexOf('$$'))
}

/** The latest revision that rows tell of. */
export const tip =
  'greatest((SELECT coalesce(max(rev), 0) FROM log), (SELECT coalesce(max(rev), 0) FROM cur))'

/** Both tables of numbers have one row. Where that of the head is gone, the store has a new name. */
async function mendRows(query: Query, findings: Findings): Promise<void> {
  const rows = {
    head: `INSERT INTO head (id, rev, store) SELECT 1, ${tip}, gen_random_uuid() ON CONFLICT DO NOTHING RETURNING id`,
    compaction:
      'INSERT INTO compaction (id, bound, trimmed) VALUES (1, 0, 0) ON CONFLICT DO NOTHING RETURNING id',
  }
  for (const [table, sql] of Object.entries(rows)) {
    const [made] = await query({ sql, bindings: [] })
    if (made !== undefined) findings.add('state', `the table ${table} has no row`, 'repair')
  }
}

const keysText = `SELECT c.relname AS table FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE k.contype = 'p' AND c.relnamespace = $1::regnamespace`

/** Gives false where a key cannot be made, since two rows have the same. */
async function mendKeys(query: Query, schema: string, findings: Findings): Promise<boolean> {
  const rows = await query({ sql: keysText, bindings: [schema] })
  const there = new Set(rows.map(({ table }) => String(table)))
  let sound = true
  for (const [table, [key]] of Object.entries(columns)) {
    if (there.has(table)) continue
    const sql = `SELECT ${key} FROM ${table} GROUP BY ${key} HAVING count(*) > 1 LIMIT 1`
    const [twice] = await query({ sql, bindings: [] })
    const text = `the table ${table} has no primary key`
    if (twice === undefined) {
      findings.add('tables', text, 'repair')
      await run(query, `ALTER TABLE ${table} ADD PRIMARY KEY (${key})`)
    } else {
      findings.add('tables', `${text}, and several rows of one ${key}`, 'restore')
      sound = false
    }
  }
  return sound
}
