/** Rows to entries: what the store reads with queries. Every function runs inside one job of the database. */
import type { Query, Row } from './database.ts'
import type { Dialect, Range } from './dialect.ts'
import { compareKeys, prefixEnd } from './keys.ts'
import type { Change } from './log-store.ts'
import type { Entry, ListOptions, Page, Revision } from './store.ts'

export async function readEntry(
  key: string,
  dialect: Dialect,
  query: Query,
): Promise<Entry | undefined> {
  const { sql, bindings } = dialect.entry(key)
  const [row] = await query(sql, bindings)
  return row === undefined ? undefined : entryOf(row)
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
  const range = rangeOf(prefix, after, revision === latest ? undefined : revision)
  const { sql, bindings } = dialect.page(range, limit)
  const entries = (await query(sql, bindings)).map(entryOf)
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
  const { sql, bindings } = dialect.log(after, limit)
  return (await query(sql, bindings)).map(changeOf)
}

/** The versions with these revisions, by revision; those that were compacted are missing. */
export async function readVersions(
  revisions: readonly Revision[],
  dialect: Dialect,
  query: Query,
): Promise<ReadonlyMap<Revision, Entry>> {
  const { sql, bindings } = dialect.rows(revisions)
  return new Map((await query(sql, bindings)).map((row) => [Number(row.rev), entryOf(row)]))
}

/** The keys with this prefix; `after` matters only if it is not before all of them. */
function rangeOf(prefix: string, after: string | undefined, revision: Revision | undefined): Range {
  const beyond = after !== undefined && compareKeys(after, prefix) >= 0
  return { from: prefix, after: beyond ? after : undefined, end: prefixEnd(prefix), revision }
}

async function readCount(range: Range, dialect: Dialect, query: Query): Promise<number> {
  const { sql, bindings } = dialect.count(range)
  const [row] = await query(sql, bindings)
  return Number(row?.count)
}

function entryOf(row: Row): Entry {
  return {
    key: String(row.key),
    revision: Number(row.rev),
    created: Number(row.cre),
    value: bytesOf(row),
  }
}

function changeOf(row: Row): Change {
  return {
    revision: Number(row.rev),
    key: String(row.key),
    replaced: Number(row.prev),
    created: Number(row.cre),
    value: row.op === 2 ? undefined : bytesOf(row),
  }
}

function bytesOf(row: Row): Uint8Array {
  const value = row.value
  return value instanceof Uint8Array ? value : new Uint8Array()
}
