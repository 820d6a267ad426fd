import { checksumOf } from '../checksum.ts'
import type { Revision } from '../contract.ts'
import type { Write } from '../log-store.ts'
import type { SqlValue, Statement } from '../sql/statement.ts'

/** A row of the log before it has landed. */
export interface LogRow {
  readonly revision: Revision
  readonly key: string
  readonly previousRevision: Revision
  readonly createRevision: Revision
  readonly op: Write['op']
  readonly value: Uint8Array | undefined
}

const ops = { create: 0, update: 1, delete: 2 } as const

const columns = ['rev', 'key', 'prev', 'cre', 'op', 'value', 'sum']

const texts = new Map<number, string>()

/** Most rows of a statement that stays prepared: with more of them the time that this takes is shared, and more bindings are kept. */
const keptRows = 4

/**
 * Inserts a batch as one statement: it lands as a whole or not at all. Padded to a power of two with rows of NULL that
 * the WHERE drops: nine texts serve all sizes. Written by hand because every write passes here: Knex builds the same
 * batch in a quarter of a millisecond (DECISIONS: the store's SQL).
 */
export function insertLog(rows: readonly LogRow[]): Statement & { readonly kept: boolean } {
  const size = 2 ** Math.ceil(Math.log2(rows.length))
  const bindings: SqlValue[] = new Array(size * columns.length).fill(null)
  rows.forEach((row, index) => {
    const at = index * columns.length
    bindings[at] = row.revision
    bindings[at + 1] = row.key
    bindings[at + 2] = row.previousRevision
    bindings[at + 3] = row.createRevision
    bindings[at + 4] = ops[row.op]
    bindings[at + 5] = row.value ?? null
    bindings[at + 6] = row.value === undefined ? null : checksumOf(row.key, row.value)
  })
  return { sql: insertText(size), bindings, kept: size <= keptRows }
}

function insertText(size: number): string {
  const known = texts.get(size)
  if (known !== undefined) return known
  const rows = new Array<string>(size).fill(`(${columns.map(() => '?').join(',')})`).join(',')
  const selected = columns.map((_, index) => `column${index + 1}`).join(', ')
  const text = `INSERT INTO log (${columns.join(', ')})
SELECT ${selected} FROM (VALUES ${rows}) WHERE column1 IS NOT NULL`
  texts.set(size, text)
  return text
}
