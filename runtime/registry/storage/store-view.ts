import type { Entry, Page, Revision, StoreEvent } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'

/** A store whose entries look different to its callers: what has nothing to do with entries is the store's own. */
export abstract class StoreView implements WatchCache {
  protected readonly store: WatchCache

  constructor(store: WatchCache) {
    this.store = store
  }

  abstract getCached(key: string): Entry | undefined
  abstract listCached(...args: Parameters<WatchCache['listCached']>): Page
  abstract get(key: string): Promise<Entry | undefined>
  abstract list(...args: Parameters<WatchCache['list']>): Promise<Page>
  abstract create(key: string, value: Uint8Array): Promise<Entry>
  abstract update(key: string, expected: Revision, value: Uint8Array): Promise<Entry>
  abstract delete(...args: Parameters<WatchCache['delete']>): Promise<StoreEvent>
  abstract watch(...args: Parameters<WatchCache['watch']>): ReturnType<WatchCache['watch']>

  get currentRevision(): Revision {
    return this.store.currentRevision
  }

  isCached(...args: Parameters<WatchCache['isCached']>): boolean {
    return this.store.isCached(...args)
  }

  count(prefix: string): number {
    return this.store.count(prefix)
  }

  get isFresh(): boolean {
    return this.store.isFresh
  }

  waitForRevision(revision: Revision, timeoutMs: number): Promise<void> {
    return this.store.waitForRevision(revision, timeoutMs)
  }

  revision(): Promise<Revision> {
    return this.store.revision()
  }

  compact(revision: Revision): ReturnType<WatchCache['compact']> {
    return this.store.compact(revision)
  }

  close(): ReturnType<WatchCache['close']> {
    return this.store.close()
  }
}
