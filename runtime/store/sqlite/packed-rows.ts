/**
 * Many rows as one. The driver makes an object of each row, with memory of its own for each value: reading a hundred thousand objects costs more
 * for that than for all else. Packed, the columns are arrays in JSON, and the values are parts of one piece of memory.
 */
import type { Entry } from '../contract.ts'
import { LogReader, type PageBounds, type PageEntries, type Query } from '../sql/log-reader.ts'
import type { KeyRange } from '../sql/log-statements.ts'
import type { Row } from '../sql/statement.ts'
import { decodeValue } from './decode-value.ts'
import type { LatestRevision } from './latest-revisions.ts'
import type { Statements } from './statements.ts'

/** Fewer rows are read as they are: what keeps one value of packed rows keeps all of them. */
const fewestPacked = 64

/** How much longer a page may be than was asked for: finding out where exactly it has to end costs more than to read it. */
const tolerance = 1.5

/** Reads long pages of the present packed, where their bytes are bounded. */
export class PackedReader extends LogReader {
  readonly #statements: Statements

  constructor(statements: Statements) {
    super(statements, decodeValue)
    this.#statements = statements
  }

  protected override async entriesOf(
    range: KeyRange,
    bounds: PageBounds,
    query: Query,
  ): Promise<PageEntries> {
    const { limit = 0, bytes } = bounds
    if (limit < fewestPacked || bytes === undefined || range.revision !== undefined) {
      return super.entriesOf(range, bounds, query)
    }
    const rows = await this.#rowsWithin(range, limit, bytes, query)
    const [row] = await query(this.#statements.packedPage(range, rows))
    const entries = entriesIn(row)
    return { entries, full: entries.length === rows }
  }

  /** The number of rows, up to a limit, whose values have about so many bytes. */
  async #rowsWithin(range: KeyRange, limit: number, bytes: number, query: Query): Promise<number> {
    for (let rows = limit; ; ) {
      const [size] = await query(this.#statements.pageSize(range, rows))
      const [count, sum] = [Number(size?.count), Number(size?.bytes)]
      if (count <= 1 || sum <= bytes * tolerance) return rows
      rows = Math.max(1, Math.min(count - 1, Math.floor((count * bytes) / sum)))
    }
  }
}

/** Keys that are read at once. */
const pointersAtOnce = 5000

/** The newest version of each live key. */
export async function readPointers(
  statements: Statements,
  query: Query,
): Promise<Map<string, LatestRevision>> {
  const found = new Map<string, LatestRevision>()
  const read = (after: string) => query(statements.packedPointers(after, pointersAtOnce))
  for (let next: Promise<readonly Row[]> | undefined = read(''); next !== undefined; ) {
    const [row]: readonly Row[] = await next
    const keys = textsIn(row, 'keys')
    const last = keys.at(-1)
    // The database reads the next ones while these are worked on.
    next = last === undefined || keys.length < pointersAtOnce ? undefined : read(last)
    const [revs, cres] = [numbersIn(row, 'revs'), numbersIn(row, 'cres')]
    keys.forEach((key, at) => {
      const [revision, createRevision] = [revs[at] as number, cres[at] as number]
      found.set(key, { revision, createRevision, deleted: false, pending: undefined })
    })
  }
  return found
}

function entriesIn(row: Row | undefined): readonly Entry[] {
  const [keys, revs, cres] = [textsIn(row, 'keys'), numbersIn(row, 'revs'), numbersIn(row, 'cres')]
  const [sums, lengths] = [numbersIn(row, 'sums'), numbersIn(row, 'lengths')]
  const bytes = row?.bytes instanceof Uint8Array ? row.bytes : new Uint8Array()
  let offset = 0
  return keys.map((key, at) => {
    const [start, length] = [offset, lengths[at] ?? null]
    offset += length ?? 0
    const [rev, sum] = [revs[at] as number, sums[at] ?? null]
    const part = length === null ? null : bytes.subarray(start, offset)
    const value = decodeValue({ key, rev, value: part, sum })
    return { key, revision: rev, createRevision: cres[at] as number, value }
  })
}

function textsIn(row: Row | undefined, column: string): readonly string[] {
  return JSON.parse(String(row?.[column] ?? '[]')) as string[]
}

/** A checksum may be absent, as may the length of a value that is not there. */
function numbersIn(row: Row | undefined, column: string): readonly (number | null)[] {
  return JSON.parse(String(row?.[column] ?? '[]')) as (number | null)[]
}
