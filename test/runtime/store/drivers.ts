import { join } from 'node:path'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import {
  type LogStore,
  openStore,
  type StoreLocation,
  type StoreOptions,
} from '../../../runtime/store/store.ts'
import { tempDirectory } from '../../support/temp.ts'

const directory = tempDirectory()
let files = 0

/** For each driver, a fresh place for a store. A driver without a row here does not compile. */
const freshLocations: {
  readonly [K in StoreLocation['kind']]: () => Extract<StoreLocation, { kind: K }>
} = {
  memory: () => ({ kind: 'memory' }),
  sqlite: () => {
    files += 1
    return { kind: 'sqlite', file: join(directory, `${files}.db`) }
  },
}

/** The drivers by name, and how to open an empty store of each whose history begins with revision 1. */
export const freshStores: readonly (readonly [
  string,
  (options?: Partial<StoreOptions>) => Promise<LogStore>,
])[] = Object.entries(freshLocations).map(([name, location]) => [
  name,
  (options) => openStore(location(), { clock: { ...systemClock, now: () => 0 }, ...options }),
])
