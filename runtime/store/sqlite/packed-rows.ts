/**
 * Many rows as one. The driver makes an object of each row, with memory of its own for each value: reading a hundred thousand objects costs more
 * for that than for all else. Packed, the columns are arrays in JSON, and the values are parts of one piece of memory.
 */
import type { Entry } from '../contract.ts'
import {
  fewestMeasured,
  LogReader,
  type PageBounds,
  type PageEntries,
  type Query,
} from '../sql/log-reader.ts'
import type { KeyRange } from '../sql/log-statements.ts'
import type { Row } from '../sql/statement.ts'
import { decodeValue } from './decode-value.ts'
import type { LatestRevision } from './latest-revisions.ts'
import type { Statements } from './statements.ts'

/** Reads long pages of the present packed, where their bytes are bounded. Fewer rows are read as they are: what keeps one value of packed rows keeps all of them. */
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
    const isPast = range.revision !== undefined
    const rows = isPast ? undefined : await this.rowsWithin(range, bounds, query)
    if (rows === undefined || limit < fewestMeasured || bytes === undefined) {
      return super.entriesOf(range, bounds, query)
    }
    const [row] = await query(this.#statements.packedPage(range, rows))
    const entries = entriesIn(row)
    return { entries, full: entries.length === rows }
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
    const part = length === null ? null : bytes.subarray(start, start + length)
    const value = decodeValue({ key, rev, value: part, sum })
    return { key, revision: rev, createRevision: cres[at] as number, value }
  })
}

function textsIn(row: Row | undefined, column: string): readonly string[] {
  return JSON.parse(String(row?.[column] ?? '[]')) as string[]
}

/** The numbers of a column of packed rows. A checksum may be absent, as may the length of a value that is not there. */
export function numbersIn(row: Row | undefined, column: string): readonly (number | null)[] {
  return JSON.parse(String(row?.[column] ?? '[]')) as (number | null)[]
}
