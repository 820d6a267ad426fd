import type { Entry, ListOptions, Page, Revision } from '../contract.ts'
import { compareKeys, prefixEnd } from '../keys.ts'
import type { Change } from '../log-store.ts'
import { upToBytes } from '../page-bytes.ts'
import type { KeyRange, LogStatements } from './log-statements.ts'
import type { Row, Statement } from './statement.ts'

/** Sends one statement; gives its rows. */
export type Query = (statement: Statement) => Promise<readonly Row[]>

/** Where a page ends: behind so many rows, or once its values have so many bytes. */
export interface PageBounds {
  readonly limit?: number | undefined
  readonly bytes?: number | undefined
}

/** The entries of a page, and whether it ended for its bounds, so that more may follow. */
export interface PageEntries {
  readonly entries: readonly Entry[]
  readonly full: boolean
}

/** Pages of fewer rows are read without a look at how long they are. */
export const fewestMeasured = 64

/** How much longer a page may be than was asked for: finding out where exactly it has to end costs more than to read it. */
const tolerance = 1.5

/** What is read of the tables of a store, whatever database has them. Every function sends its statements by the query that it is given. */
export class LogReader {
  readonly #statements: LogStatements
  readonly #decode: (row: Row) => Uint8Array

  /** `decode` gives the value of a row, and throws for one that is not as it was written. */
  constructor(statements: LogStatements, decode: (row: Row) => Uint8Array) {
    this.#statements = statements
    this.#decode = decode
  }

  /** The latest entry of a key. */
  async entry(key: string, query: Query): Promise<Entry | undefined> {
    const [row] = await query(this.#statements.entry(key))
    return row && this.#toEntry(row)
  }

  /** A page of the entries under a prefix. `latest` is the revision of the present. */
  async page(prefix: string, options: ListOptions, latest: Revision, query: Query): Promise<Page> {
    const { after, limit, bytes, revision, uncounted } = options
    const range = keyRange(prefix, after, revision === latest ? undefined : revision)
    const { entries, full } = await this.entriesOf(range, { limit, bytes }, query)
    const last = entries.at(-1)?.key ?? after
    const count = () => (uncounted ? 1 : this.#count({ ...range, after: last }, query))
    return { entries, revision: revision ?? latest, remaining: full ? await count() : 0 }
  }

  /** The entries of a page, in key order. */
  protected async entriesOf(
    range: KeyRange,
    bounds: PageBounds,
    query: Query,
  ): Promise<PageEntries> {
    const limit = await this.rowsWithin(range, bounds, query)
    const rows = await query(this.#statements.page(range, limit))
    const found = rows.map((row) => this.#toEntry(row))
    const entries = upToBytes(found, bounds.bytes)
    const full = entries.length < found.length || found.length === limit
    return { entries, full }
  }

  /** The number of rows, up to a limit, whose values have about so many bytes: those of a long page are not read to be thrown away. */
  protected async rowsWithin(
    range: KeyRange,
    { limit, bytes }: PageBounds,
    query: Query,
  ): Promise<number | undefined> {
    if (limit === undefined || limit < fewestMeasured || bytes === undefined) return limit
    for (let rows = limit; ; ) {
      const [size] = await query(this.#statements.pageSize(range, rows))
      const [count, sum] = [Number(size?.count), Number(size?.bytes)]
      if (count <= 1 || sum <= bytes * tolerance) return rows
      rows = Math.max(1, Math.min(count - 1, Math.floor((count * bytes) / sum)))
    }
  }

  /** Log rows after a revision, in order. */
  async changes(after: Revision, limit: number, query: Query): Promise<readonly Change[]> {
    const rows = await query(this.#statements.logAfter(after, limit))
    return rows.map((row) => this.toChange(row))
  }

  /** The versions with these revisions, by revision; those that were compacted are missing. */
  async versions(
    revisions: readonly Revision[],
    query: Query,
  ): Promise<ReadonlyMap<Revision, Entry>> {
    const rows = await query(this.#statements.logRows(revisions))
    return new Map(rows.map((row) => [Number(row.rev), this.#toEntry(row)]))
  }

  /** The change that a row of the log is. */
  toChange(row: Row): Change {
    return {
      revision: Number(row.rev),
      key: String(row.key),
      previousRevision: Number(row.prev),
      createRevision: Number(row.cre),
      value: Number(row.op) === 2 ? undefined : this.#decode(row),
    }
  }

  async #count(range: KeyRange, query: Query): Promise<number> {
    const [row] = await query(this.#statements.count(range))
    return Number(row?.count)
  }

  #toEntry(row: Row): Entry {
    return {
      key: String(row.key),
      revision: Number(row.rev),
      createRevision: Number(row.cre),
      value: this.#decode(row),
    }
  }
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
