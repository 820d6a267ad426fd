import type { SqlValue } from './connection.ts'
import type { Dialect, KeyRange, LogRow, Statement } from './dialect.ts'

/** The format that this code reads and writes. */
export const storeFormat = '1'

const ops = { create: 0, update: 1, delete: 2 } as const

/** auto_vacuum comes first: after journal_mode = WAL it is silently ignored. */
const pragmas = [
  'PRAGMA auto_vacuum = INCREMENTAL',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA wal_autocheckpoint = 1000',
  'PRAGMA busy_timeout = 5000',
  'PRAGMA cache_size = -65536',
]

/**
 * `log` holds every version, `cur` points to the newest one of each live key; triggers keep it, so that a batch is one
 * statement. No index over (key, rev): it costs a third of all updates, and `prev` answers for old revisions.
 */
const schema = [
  `CREATE TABLE IF NOT EXISTS log (rev INTEGER PRIMARY KEY, key TEXT NOT NULL, prev INTEGER NOT NULL,
  cre INTEGER NOT NULL, op INTEGER NOT NULL, value BLOB)`,
  `CREATE TABLE IF NOT EXISTS cur (key TEXT PRIMARY KEY NOT NULL, rev INTEGER NOT NULL, cre INTEGER NOT NULL)
  WITHOUT ROWID`,
  'CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID',
  `CREATE TRIGGER IF NOT EXISTS log_put AFTER INSERT ON log WHEN new.op <> 2 BEGIN
  INSERT INTO cur (key, rev, cre) VALUES (new.key, new.rev, new.cre)
  ON CONFLICT (key) DO UPDATE SET rev = excluded.rev, cre = excluded.cre; END`,
  `CREATE TRIGGER IF NOT EXISTS log_del AFTER INSERT ON log WHEN new.op = 2 BEGIN
  DELETE FROM cur WHERE key = new.key; END`,
  `INSERT INTO meta (name, value)
  VALUES ('id', lower(hex(randomblob(16)))), ('format', '${storeFormat}'), ('compact', '0'), ('trimmed', '0')
  ON CONFLICT (name) DO NOTHING`,
]

const columns = 'rev, key, prev, cre, op, value'

export const sqliteDialect: Dialect = {
  pragmas,
  schema,
  meta: 'SELECT name, value FROM meta',
  setMeta: (name, value) => ({
    sql: 'UPDATE meta SET value = ? WHERE name = ?',
    bindings: [value, name],
  }),
  latestRevision: 'SELECT coalesce(max(rev), 0) AS tip FROM log',
  latestRevisions: 'SELECT key, rev, cre FROM cur',
  insertLog,
  entry: (key) => ({
    sql: 'SELECT c.key, c.rev, c.cre, l.value FROM cur c JOIN log l ON l.rev = c.rev WHERE c.key = ?',
    bindings: [key],
  }),
  page,
  count,
  logAfter: (after, limit) => ({
    sql: `SELECT ${columns} FROM log WHERE rev > ? ORDER BY rev LIMIT ?`,
    bindings: [after, limit],
  }),
  rows: (revisions) => ({
    sql: `SELECT ${columns} FROM log WHERE rev IN (SELECT value FROM json_each(?))`,
    bindings: [JSON.stringify(revisions)],
  }),
  deleteObsolete: (after, to) => ({
    sql: `DELETE FROM log WHERE rev IN (SELECT prev FROM log WHERE rev > ? AND rev <= ? AND prev > 0
  UNION ALL SELECT rev FROM log WHERE rev > ? AND rev <= ? AND op = 2)`,
    bindings: [after, to, after, to],
  }),
  vacuum: 'PRAGMA incremental_vacuum(64)',
}

const insertTexts = new Map<number, string>()

/** Padded to a power of two with rows of NULL that the WHERE drops: nine texts serve all sizes. */
function insertLog(rows: readonly LogRow[]): Statement {
  const size = 2 ** Math.ceil(Math.log2(rows.length))
  const bindings: SqlValue[] = new Array(size * 6).fill(null)
  rows.forEach((row, index) => {
    const at = index * 6
    bindings[at] = row.revision
    bindings[at + 1] = row.key
    bindings[at + 2] = row.previousRevision
    bindings[at + 3] = row.createRevision
    bindings[at + 4] = ops[row.op]
    bindings[at + 5] = row.value ?? null
  })
  return { sql: insertText(size), bindings }
}

function insertText(size: number): string {
  const known = insertTexts.get(size)
  if (known !== undefined) return known
  const rows = new Array<string>(size).fill('(?,?,?,?,?,?)').join(',')
  const text = `INSERT INTO log (${columns})
SELECT column1, column2, column3, column4, column5, column6 FROM (VALUES ${rows}) WHERE column1 IS NOT NULL`
  insertTexts.set(size, text)
  return text
}

function page(range: KeyRange, limit: number | undefined): Statement {
  const versions = versionsIn(range)
  const bound =
    limit === undefined ? { sql: '', bindings: [] } : { sql: ' LIMIT ?', bindings: [limit] }
  return {
    sql: `SELECT key, rev, cre, value FROM (${versions.sql}) ORDER BY key${bound.sql}`,
    bindings: [...versions.bindings, ...bound.bindings],
  }
}

function count(range: KeyRange): Statement {
  if (range.revision !== undefined) {
    const versions = versionsIn(range)
    return { sql: `SELECT count(*) AS count FROM (${versions.sql})`, bindings: versions.bindings }
  }
  const keys = keysIn('key', range)
  return { sql: `SELECT count(*) AS count FROM cur WHERE ${keys.sql}`, bindings: keys.bindings }
}

/** A key's version at R is its current one if that is not younger, or what the one log row that ended it replaced. */
function versionsIn(range: KeyRange): Statement {
  const { revision } = range
  const current = keysIn('c.key', range)
  const now = `SELECT c.key, c.rev, c.cre, l.value FROM cur c JOIN log l ON l.rev = c.rev WHERE ${current.sql}`
  if (revision === undefined) return { sql: now, bindings: current.bindings }
  const ended = keysIn('n.key', range)
  return {
    sql: `${now} AND c.rev <= ? UNION ALL
SELECT o.key, o.rev, o.cre, o.value FROM log n JOIN log o ON o.rev = n.prev
WHERE n.rev > ? AND n.prev BETWEEN 1 AND ? AND ${ended.sql}`,
    bindings: [...current.bindings, revision, revision, revision, ...ended.bindings],
  }
}

function keysIn(column: string, { from, after, end }: KeyRange): Statement {
  const low = after === undefined ? `${column} >= ?` : `${column} > ?`
  const bindings = [after ?? from]
  if (end === undefined) return { sql: low, bindings }
  return { sql: `${low} AND ${column} < ?`, bindings: [...bindings, end] }
}
