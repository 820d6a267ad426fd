import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../../runtime/store/store.ts'
import { createWatchCache } from '../../../runtime/watch/watch.ts'
import { storeContract } from '../store/contract.ts'

storeContract('watch cache over SQLite in memory', async () => {
  const store = await openSqliteStore({ filename: ':memory:', clock: systemClock })
  return createWatchCache(store, { clock: systemClock })
})
