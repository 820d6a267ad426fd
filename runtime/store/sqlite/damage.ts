import { OperatorError } from '../../kernel/errors/operator-error.ts'
import type { Query } from './connection.ts'
import type { Statements } from './statements.ts'

/** Bytes of a database whose whole structure is checked at the start: that takes some milliseconds a megabyte. */
const checkedBytes = 64 * 1024 * 1024

/** The error of a database that is not as it was written. */
export function damaged(what: string): Error {
  return new OperatorError(`the database is damaged: ${what}; restore its file from a copy`)
}

/**
 * Fails for a database that lost objects or whose pages contradict each other. Of a large one nothing is looked for: its pages, whether
 * there is a version of each live key, and the values of any, are checked when they are read.
 */
export async function checkDamage(
  bytes: number,
  statements: Statements,
  query: Query,
): Promise<void> {
  if (bytes > checkedBytes) return
  const [first] = await query('PRAGMA quick_check(1)')
  const found = String(first?.quick_check)
  if (found !== 'ok') throw damaged(found.trim().replaceAll('\n', ' '))
  const [row] = await query(statements.lostVersions())
  if (row?.lost !== 0) throw damaged(`${row?.lost} objects are not where they should be`)
}
