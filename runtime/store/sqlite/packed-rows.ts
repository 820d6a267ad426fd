/**
 * Many rows as one. The driver makes an object of each row, with memory of its own for each value: reading a hundred thousand objects costs more
 * for that than for all else. Packed, the columns are arrays in JSON, and the values are parts of one piece of memory.
 */
import type { Entry } from '../contract.ts'
import { LogReader, type Query } from '../sql/log-reader.ts'
import type { KeyRange, PageBounds } from '../sql/log-statements.ts'
import type { Row } from '../sql/statement.ts'
import { decodeValue } from './decode-value.ts'
import type { LatestRevision } from './latest-revisions.ts'
import type { Statements } from './statements.ts'

/**
 * Fewer rows are read as they are, as are pages without a bound in bytes: what keeps one value of packed rows keeps all of them.
 */
const fewestPacked = 64

/** Reads long pages packed. */
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
  ): Promise<readonly Entry[]> {
    const { limit = 0, bytes } = bounds
    if (limit < fewestPacked || bytes === undefined) return super.entriesOf(range, bounds, query)
    const [row] = await query(this.#statements.packedPage(range, bounds))
    return entriesIn(row)
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
  for (let after = ''; ; ) {
    const [row] = await query(statements.packedPointers(after, pointersAtOnce))
    const [keys, revs, cres] = [
      textsIn(row, 'keys'),
      numbersIn(row, 'revs'),
      numbersIn(row, 'cres'),
    ]
    keys.forEach((key, at) => {
      const [revision, createRevision] = [revs[at] as number, cres[at] as number]
      found.set(key, { revision, createRevision, deleted: false, pending: undefined })
    })
    const last = keys.at(-1)
    if (last === undefined || keys.length < pointersAtOnce) return found
    after = last
  }
}

function entriesIn(row: Row | undefined): readonly Entry[] {
  const [keys, revs, cres] = [textsIn(row, 'keys'), numbersIn(row, 'revs'), numbersIn(row, 'cres')]
  const [sums, lengths] = [numbersIn(row, 'sums'), numbersIn(row, 'lengths')]
  const bytes = row?.bytes instanceof Uint8Array ? row.bytes : new Uint8Array()
  let offset = 0
  return keys.map((key, at) => {
    const start = offset
    offset += lengths[at] ?? 0
    const [rev, sum] = [revs[at] as number, sums[at] ?? null]
    const value = decodeValue({ key, rev, value: bytes.subarray(start, offset), sum })
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
