import type { Revision } from '../contract.ts'
import type { Query } from './log-reader.ts'
import type { LogStatements } from './log-statements.ts'
import type { Row } from './statement.ts'

/** Rows whose lengths are asked for at once. */
const sizedRows = 1024

/** Bytes of values that are read at once, but for one that is longer. */
const pageBytes = 4 * 1024 * 1024

/** The rows of a log up to a revision, in order, in batches of some megabytes, whatever the length of a value. */
export async function* logPages(
  statements: LogStatements,
  query: Query,
  to: Revision,
): AsyncGenerator<readonly Row[], void> {
  let position: Revision = Number.MIN_SAFE_INTEGER
  for (;;) {
    const sizes = await query(statements.logSizes(position, sizedRows))
    const within = sizes.filter(({ rev }) => Number(rev) <= to)
    for (const end of pageEnds(within)) {
      yield await query(statements.logBetween(position, end))
      position = end
    }
    if (within.length < sizedRows) return
  }
}

/** The last revision of each page. */
function pageEnds(sizes: readonly Row[]): readonly Revision[] {
  const ends: Revision[] = []
  let bytes = 0
  sizes.forEach((row, at) => {
    bytes += Number(row.bytes)
    const next = Number(sizes[at + 1]?.bytes ?? 0)
    if (at + 1 < sizes.length && bytes + next <= pageBytes) return
    ends.push(Number(row.rev))
    bytes = 0
  })
  return ends
}
