import type { Revision } from '../contract.ts'

/** The newest known version of a key, landed or about to land. */
export interface LatestRevision {
  readonly revision: Revision
  readonly createRevision: Revision
  /** The write will delete the key. Landed deletions are not kept. */
  readonly deleted: boolean
  /** The write that is about to land; none for a landed version. */
  readonly pending: PendingWrite | undefined
}

/** A write that has its revision and waits for its commit. */
export interface PendingWrite {
  /** Resolves to true if the write landed, to false if it must be judged anew, and fails if it was refused. */
  readonly settled: Promise<boolean>
}
