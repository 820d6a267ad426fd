import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../../runtime/store/store.ts'
import { createWatchCache } from '../../../runtime/watch/watch.ts'
import { storeModel } from '../store/model.ts'

async function openCache(historyBytes: number, uncached: readonly string[] = []) {
  const store = await openSqliteStore({ filename: ':memory:', clock: systemClock })
  return createWatchCache(store, { clock: systemClock, maxHistoryBytes: historyBytes, uncached })
}

storeModel('watch cache', () => openCache(2 ** 20), 60)
storeModel('watch cache that does not keep some', () => openCache(2 ** 20, ['/a/', '/b/2']), 30)
