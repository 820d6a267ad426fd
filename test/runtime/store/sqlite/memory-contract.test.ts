import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../../../runtime/store/store.ts'
import { storeContract } from '../contract.ts'

storeContract('SQLite in memory', () =>
  openSqliteStore({ filename: ':memory:', clock: systemClock }),
)
