/** The watch cache: the store's live entries and its recent events, in memory. */
export type { CacheSnapshot, StoreCache, WatchCache, WatchCacheOptions } from './contract.ts'
export { createWatchCache } from './watch-cache.ts'
