import type { Revision } from '../contract.ts'
import type { Query } from './connection.ts'
import type { LatestRevision } from './latest-revisions.ts'
import { readPointers } from './packed-rows.ts'
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
  return { ...state, latestRevisions: await readPointers(statements, query) }
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
    id: String(meta.get('id')).replaceAll('-', ''),
    revision: Math.max(Number(row?.tip), compact || 0),
    compact,
    trimmed: Number(meta.get('trimmed')),
  }
}
