import { join } from 'node:path'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../../runtime/store/store.ts'
import { createWatchCache } from '../../../runtime/watch/watch.ts'
import { tempDirectory } from '../../support/temp.ts'
import { storeContract } from '../store/contract.ts'

const directory = tempDirectory()
let files = 0

storeContract('watch cache over a SQLite file', async () => {
  files += 1
  const filename = join(directory, `${files}.db`)
  const store = await openSqliteStore({ filename, clock: systemClock })
  return createWatchCache(store, { clock: systemClock })
})
