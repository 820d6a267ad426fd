/**
 * The seam to a database: every statement that the store sends, as text and bindings.
 *
 * `sqliteDialect` is the only one yet. Another database with the same driver model needs another value of this type and
 * nothing else; one that several servers share also judges writes itself and needs a committer of its own.
 */

import type { Revision } from '../store.ts'
import type { SqlValue } from './connection.ts'

export interface Statement {
  readonly sql: string
  readonly bindings: readonly SqlValue[]
}

/** A row of the log before it has landed. */
export interface LogRow {
  readonly revision: Revision
  readonly key: string
  readonly previousRevision: Revision
  readonly createRevision: Revision
  readonly op: 'create' | 'update' | 'delete'
  readonly value: Uint8Array | undefined
}

/** Keys greater than `after` (or equal to `from`, if there is no `after`) and less than `end`, as of a revision or now. */
export interface KeyRange {
  readonly from: string
  readonly after: string | undefined
  readonly end: string | undefined
  readonly revision: Revision | undefined
}

export interface Dialect {
  /** What a fresh connection needs before anything else. */
  readonly pragmas: readonly string[]
  /** Creates what is not there yet. */
  readonly schema: readonly string[]
  /** Rows `name`, `value`: id, format, compact (history is complete after it), trimmed (rows are gone up to it). */
  readonly meta: string
  setMeta(name: string, value: string): Statement
  /** One row with the greatest revision in the log as `tip`. */
  readonly latestRevision: string
  /** Rows `key`, `rev`, `cre` of everything alive. */
  readonly latestRevisions: string
  /** All rows in one statement: it lands as a whole or not at all. */
  insertLog(logRows: readonly LogRow[]): Statement
  entry(key: string): Statement
  page(range: KeyRange, limit: number | undefined): Statement
  /** One row with `count`. */
  count(range: KeyRange): Statement
  logAfter(after: Revision, limit: number): Statement
  /** Log rows of exactly these revisions. */
  rows(revisions: readonly Revision[]): Statement
  /** Deletes what the log rows after `after`, up to `to`, made obsolete. */
  deleteObsolete(after: Revision, to: Revision): Statement
  /** Gives a bounded amount of free space back. */
  readonly vacuum: string
}
