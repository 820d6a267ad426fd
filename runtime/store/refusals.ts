import type { Revision } from './contract.ts'
import { StoreError } from './errors.ts'
import type { Write } from './log-store.ts'

/** Why a write may not land. */
export type RefusalReason = Extract<StoreError['reason'], 'AlreadyExists' | 'NotFound' | 'Conflict'>

/** Above any object that a request may carry once it is written out, below what delays other writes. */
const defaultMaxValueBytes = 1.5 * 1024 * 1024

/** Compare-and-set, against the newest known version of the key. */
export function checkPrecondition(
  write: Write,
  latest: { readonly revision: Revision; readonly deleted?: boolean } | undefined,
): RefusalReason | undefined {
  const exists = latest !== undefined && latest.deleted !== true
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

/** @throws StoreError `TooLarge` for a value of more bytes than a store takes. */
export function checkSize({ key, value }: Write, maxValueBytes = defaultMaxValueBytes): void {
  const bytes = value?.byteLength ?? 0
  if (bytes <= maxValueBytes) return
  throw new StoreError('TooLarge', `${key}: ${bytes} bytes are more than ${maxValueBytes}`)
}

/** History before `bound` was compacted. */
export function compactedError(revision: Revision, bound: Revision): StoreError {
  return new StoreError('Expired', `revision ${revision} was compacted: history begins at ${bound}`)
}

/** The store has not come so far. */
export function futureError(revision: Revision, latest: Revision): StoreError {
  return new StoreError('Future', `revision ${revision} is not there yet: the latest is ${latest}`)
}
