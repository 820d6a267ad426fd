import type { Revision } from './contract.ts'
import type { Change } from './log-store.ts'

/** What a store is beside its log. */
export interface StoreState {
  /** Names the store; it goes with it from database to database. */
  readonly id: string
  /** The latest revision. */
  readonly revision: Revision
  /** History is complete after this revision. */
  readonly compacted: Revision
  /** Obsolete rows are gone up to this revision. */
  readonly trimmed: Revision
}

/** A store as of one moment: everything that moves it to another database. */
export interface StoreDump {
  readonly state: StoreState
  /** The rows of the log in the order of revisions, read once, in batches of some megabytes. */
  readonly changes: AsyncIterable<readonly Change[]>
  /** Lets go of the database. */
  close(): Promise<void>
}

/** How a dump becomes a store. */
export interface LoadOptions {
  /** Takes the place of a store that is there. Without it only one that holds nothing is replaced. */
  readonly replace?: boolean
  /**
   * Revisions that the store leaves out, so that none that was given away since the dump is given again: history is then forgotten.
   * Without it, the store is as the dump was.
   */
  readonly skippedRevisions?: number
}

/** What was loaded. */
export interface LoadedStore {
  readonly state: StoreState
  readonly objects: number
  /** Where the store is kept whose place it took. */
  readonly former?: string
}

/** The state that a store begins with that is loaded with these options. */
export function loadedState(state: StoreState, { skippedRevisions }: LoadOptions): StoreState {
  if (skippedRevisions === undefined) return state
  const revision = state.revision + skippedRevisions
  return { id: state.id, revision, compacted: revision, trimmed: revision }
}
