import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../../runtime/store/store.ts'
import { storeModel } from './model.ts'

storeModel(
  'SQLite in memory',
  () => openSqliteStore({ filename: ':memory:', clock: systemClock }),
  60,
)
