/** Rows to entries: what the store reads with queries. Every function runs inside one job of the database. */

import { compareKeys, prefixEnd } from '../keys.ts'
import type { Change } from '../log-store.ts'
import type { Entry, ListOptions, Page, Revision } from '../store.ts'
import type { Query, Row } from './connection.ts'
import type { Dialect, KeyRange } from './dialect.ts'

export async function readEntry(
  key: string,
  dialect: Dialect,
  query: Query,
): Promise<Entry | undefined> {
  const { sql, bindings } = dialect.entry(key)
  const [row] = await query(sql, bindings)
  return row === undefined ? undefined : toEntry(row)
}

/** `options.revision` is absent for the present, whose revision is `latest`. */
export async function readPage(
  prefix: string,
  options: ListOptions,
  latest: Revision,
  dialect: Dialect,
  query: Query,
): Promise<Page> {
  const { after, limit, revision } = options
  const range = keyRange(prefix, after, revision === latest ? undefined : revision)
  const { sql, bindings } = dialect.page(range, limit)
  const entries = (await query(sql, bindings)).map(toEntry)
  const last = entries.at(-1)?.key ?? after
  const full = limit !== undefined && entries.length >= limit
  const remaining = full ? await readCount({ ...range, after: last }, dialect, query) : 0
  return { entries, revision: revision ?? latest, remaining }
}

/** Log rows after a revision, in order. */
export async function readLog(
  after: Revision,
  limit: number,
  dialect: Dialect,
  query: Query,
): Promise<readonly Change[]> {
  const { sql, bindings } = dialect.logAfter(after, limit)
  return (await query(sql, bindings)).map(toChange)
}

/** The versions with these revisions, by revision; those that were compacted are missing. */
export async function readVersions(
  revisions: readonly Revision[],
  dialect: Dialect,
  query: Query,
): Promise<ReadonlyMap<Revision, Entry>> {
  const { sql, bindings } = dialect.rows(revisions)
  return new Map((await query(sql, bindings)).map((row) => [Number(row.rev), toEntry(row)]))
}

/** The keys with this prefix; `after` matters only if it is not before all of them. */
function keyRange(
  prefix: string,
  after: string | undefined,
  revision: Revision | undefined,
): KeyRange {
  const beyond = after !== undefined && compareKeys(after, prefix) >= 0
  return { from: prefix, after: beyond ? after : undefined, end: prefixEnd(prefix), revision }
}

async function readCount(range: KeyRange, dialect: Dialect, query: Query): Promise<number> {
  const { sql, bindings } = dialect.count(range)
  const [row] = await query(sql, bindings)
  return Number(row?.count)
}

function toEntry(row: Row): Entry {
  return {
    key: String(row.key),
    revision: Number(row.rev),
    createRevision: Number(row.cre),
    value: toBytes(row),
  }
}

function toChange(row: Row): Change {
  return {
    revision: Number(row.rev),
    key: String(row.key),
    previousRevision: Number(row.prev),
    createRevision: Number(row.cre),
    value: row.op === 2 ? undefined : toBytes(row),
  }
}

function toBytes(row: Row): Uint8Array {
  const value = row.value
  return value instanceof Uint8Array ? value : new Uint8Array()
}
