import { join } from 'node:path'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../../../runtime/store/store.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { storeContract } from '../contract.ts'

const directory = tempDirectory()
let files = 0

storeContract('SQLite file', () => {
  files += 1
  return openSqliteStore({ filename: join(directory, `${files}.db`), clock: systemClock })
})
