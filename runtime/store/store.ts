/** The store: one ordered log of revisions, and the drivers that keep it in a database. */
export type { Entry, ListOptions, Page, Revision, Store, StoreEvent } from './contract.ts'
export type { StoreDriver, StoreOptions } from './driver.ts'
export {
  drivers,
  isSharedStore,
  openStore,
  parseStoreLocation,
  type StoreLocation,
  storeLocationForms,
  storeLocationProblem,
  storeLocationText,
} from './drivers/drivers.ts'
export { StoreError } from './errors.ts'
export { Feed } from './feed.ts'
export { compareKeys, prefixEnd } from './keys.ts'
export type { Change, LogStore, Write } from './log-store.ts'
export { type MemorySnapshot, MemoryStore } from './memory/memory-store.ts'
export { checkSize, compactedError } from './refusals.ts'
export { openSqliteStore, type SqliteStoreOptions } from './sqlite/open.ts'
