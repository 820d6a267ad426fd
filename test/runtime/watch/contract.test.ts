import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { createWatchCache } from '../../../runtime/watch/watch.ts'
import { storeContract } from '../store/contract.ts'
import { freshStores } from '../store/drivers.ts'

for (const [name, open] of freshStores) {
  storeContract(`watch cache over ${name}`, async () =>
    createWatchCache(await open(), { clock: systemClock }),
  )
  storeContract(`watch cache that keeps nothing, over ${name}`, async () =>
    createWatchCache(await open(), { clock: systemClock, uncached: [''] }),
  )
}
