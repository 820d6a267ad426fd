import type { Revision } from '../contract.ts'
import type { Row } from '../sql/statement.ts'
import type { Query } from './connection.ts'
import type { LatestRevision } from './latest-revisions.ts'
import type { Statements } from './statements.ts'

/** What a store knows of its database without a query. */
export interface DurableState {
  readonly id: string
  readonly revision: Revision
  /** History is complete after this revision. */
  readonly compact: Revision
  /** Obsolete rows are gone up to this revision. */
  readonly trimmed: Revision
  readonly latestRevisions: Map<string, LatestRevision>
}

/** Reads the state. The log may end before the compact revision: the last thing before it was a deletion. */
export async function loadState(statements: Statements, query: Query): Promise<DurableState> {
  const state = await loadNumbers(statements, query)
  const latest = await query(statements.latestRevisions())
  return { ...state, latestRevisions: new Map(latest.map(toLatest)) }
}

/** The state without what is known of each key. */
export async function loadNumbers(
  statements: Statements,
  query: Query,
): Promise<Omit<DurableState, 'latestRevisions'>> {
  const meta = new Map((await query(statements.meta())).map(({ name, value }) => [name, value]))
  const [row] = await query(statements.latestRevision())
  const compact = Number(meta.get('compact'))
  return {
    id: String(meta.get('id')),
    revision: Math.max(Number(row?.tip), compact),
    compact,
    trimmed: Number(meta.get('trimmed')),
  }
}

function toLatest({ key, rev, cre }: Row): [string, LatestRevision] {
  const [revision, createRevision] = [Number(rev), Number(cre)]
  return [String(key), { revision, createRevision, deleted: false, pending: undefined }]
}
