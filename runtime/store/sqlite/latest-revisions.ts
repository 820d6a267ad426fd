import type { Revision } from '../contract.ts'
import type { StoreError } from '../errors.ts'
import type { Write } from '../log-store.ts'

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

/** Why a write may not land. */
export type RefusalReason = Extract<StoreError['reason'], 'AlreadyExists' | 'NotFound' | 'Conflict'>

/** Compare-and-set, against the newest known version of the key. */
export function checkPrecondition(
  write: Write,
  latest: LatestRevision | undefined,
): RefusalReason | undefined {
  const exists = latest !== undefined && !latest.deleted
  if (write.op === 'create') return exists ? 'AlreadyExists' : undefined
  if (!exists) return 'NotFound'
  return latest.revision === write.expected ? undefined : 'Conflict'
}

/** What the refused caller reads. */
export function refusalMessage(refusal: RefusalReason, { key, expected }: Write): string {
  switch (refusal) {
    case 'AlreadyExists':
      return `${key}: the key is taken`
    case 'NotFound':
      return `${key}: there is no such key`
    case 'Conflict':
      return `${key}: ${expected} is not its latest revision`
  }
}
