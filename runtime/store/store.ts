/** The store: one ordered log of revisions, and the drivers that keep it in a database. */
export { checkedChanges } from './archive/checked-changes.ts'
export { LogLaws } from './archive/log-laws.ts'
export { type Archive, readArchive } from './archive/read-archive.ts'
export { writeArchive } from './archive/write-archive.ts'
export type { Entry, ListOptions, Page, Revision, Store, StoreEvent } from './contract.ts'
export type { StoreDriver, StoreOptions } from './driver.ts'
export {
  type BoundKeeper,
  drivers,
  isSharedStore,
  openStore,
  parseStoreLocation,
  type StoreLocation,
  storeKeeper,
  storeLocationForms,
  storeLocationProblem,
  storeLocationText,
} from './drivers/drivers.ts'
export type { LoadedStore, LoadOptions, StoreDump, StoreState } from './dump.ts'
export { StoreError } from './errors.ts'
export { replacedVersion } from './events.ts'
export { Feed } from './feed.ts'
export type { Examination, StoreFinding } from './keeper.ts'
export { compareKeys, prefixEnd } from './keys.ts'
export type { Change, LiveEntries, LogStore, ReadAllOptions, Write } from './log-store.ts'
export { type MemorySnapshot, MemoryStore } from './memory/memory-store.ts'
export { upToBytes } from './page-bytes.ts'
export { checkSize, compactedError } from './refusals.ts'
export { HeadFile, HeadReader } from './remote/head-file.ts'
export { serveStore } from './remote/owner.ts'
export { openSqliteStore, type SqliteStoreOptions } from './sqlite/open.ts'
