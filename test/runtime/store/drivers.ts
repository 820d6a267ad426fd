import { join } from 'node:path'
import type { Awaitable } from '../../../runtime/kernel/async/awaitable.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import {
  type LogStore,
  openStore,
  type StoreLocation,
  type StoreOptions,
} from '../../../runtime/store/store.ts'
import { noPostgres, postgresPrograms, sharedPostgres } from '../../support/postgres.ts'
import { tempDirectory } from '../../support/temp.ts'

const directory = tempDirectory()
let made = 0

/** For each driver, a fresh place for a store. A driver without a row here does not compile. */
const freshLocations: {
  readonly [K in StoreLocation['kind']]: () => Awaitable<Extract<StoreLocation, { kind: K }>>
} = {
  memory: () => ({ kind: 'memory' }),
  sqlite: () => {
    made += 1
    return { kind: 'sqlite', file: join(directory, `${made}.db`) }
  },
  postgres: async () => {
    made += 1
    return { kind: 'postgres', url: (await sharedPostgres()).url(`fresh_${made}`) }
  },
}

/** The drivers by name, and how to open an empty store of each whose history begins with revision 1. */
export const freshStores: readonly (readonly [
  string,
  (options?: Partial<StoreOptions>) => Promise<LogStore>,
])[] = Object.entries(freshLocations)
  .filter(([name]) => name !== 'postgres' || postgresPrograms !== undefined)
  .map(([name, location]) => [
    name,
    async (options) =>
      openStore(await location(), { clock: { ...systemClock, now: () => 0 }, ...options }),
  ])

if (postgresPrograms === undefined) console.log(`SKIP stores in PostgreSQL: ${noPostgres}`)
