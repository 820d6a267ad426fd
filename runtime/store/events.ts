import type { Entry, Revision, StoreEvent } from './contract.ts'
import { StoreError } from './errors.ts'
import type { Change } from './log-store.ts'

/** The change with the versions it stands between, of which the older one was read from the log. */
export function toStoreEvent(change: Change, versions: ReadonlyMap<Revision, Entry>): StoreEvent {
  const { revision, key, createRevision: created, previousRevision: replaced, value } = change
  return {
    revision,
    key,
    ...(value === undefined ? {} : { entry: { key, revision, createRevision: created, value } }),
    ...(replaced === 0 ? {} : { previous: replacedVersion(replaced, versions) }),
  }
}

/** A version that a change replaced is missing only if it was compacted since. */
export function replacedVersion(revision: Revision, versions: ReadonlyMap<Revision, Entry>): Entry {
  const version = versions.get(revision)
  if (version === undefined) throw new StoreError('Expired', `revision ${revision} was compacted`)
  return version
}
