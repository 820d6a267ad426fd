/** What the store reads from the database. Every function runs inside one job of the connection. */

import type { Entry, ListOptions, Page, Revision } from '../contract.ts'
import { compareKeys, prefixEnd } from '../keys.ts'
import type { Change } from '../log-store.ts'
import { checksumOf } from './checksum.ts'
import type { Query, Row } from './connection.ts'
import { damaged } from './damage.ts'
import type { KeyRange, Statements } from './statements.ts'

/** The latest entry of a key. */
export async function readEntry(
  key: string,
  statements: Statements,
  query: Query,
): Promise<Entry | undefined> {
  const [row] = await query(statements.entry(key))
  return row === undefined ? undefined : toEntry(row)
}

/** A page of the entries under a prefix. `latest` is the revision of the present. */
export async function readPage(
  prefix: string,
  options: ListOptions,
  latest: Revision,
  statements: Statements,
  query: Query,
): Promise<Page> {
  const { after, limit, revision } = options
  const range = keyRange(prefix, after, revision === latest ? undefined : revision)
  const entries = (await query(statements.page(range, limit))).map(toEntry)
  const last = entries.at(-1)?.key ?? after
  const full = limit !== undefined && entries.length >= limit
  const remaining = full ? await readCount({ ...range, after: last }, statements, query) : 0
  return { entries, revision: revision ?? latest, remaining }
}

/** Log rows after a revision, in order. */
export async function readLog(
  after: Revision,
  limit: number,
  statements: Statements,
  query: Query,
): Promise<readonly Change[]> {
  return (await query(statements.logAfter(after, limit))).map(toChange)
}

/** The versions with these revisions, by revision; those that were compacted are missing. */
export async function readVersions(
  revisions: readonly Revision[],
  statements: Statements,
  query: Query,
): Promise<ReadonlyMap<Revision, Entry>> {
  return new Map(
    (await query(statements.logRows(revisions))).map((row) => [Number(row.rev), toEntry(row)]),
  )
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

async function readCount(range: KeyRange, statements: Statements, query: Query): Promise<number> {
  const [row] = await query(statements.count(range))
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

/** The value as it was written. Rows of a store's first format have no checksum. */
function toBytes({ key, rev, value, sum }: Row): Uint8Array {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array()
  if (sum !== null && sum !== checksumOf(String(key), bytes)) {
    throw damaged(`the value of ${key} at revision ${rev} is not what was written`)
  }
  return bytes
}
