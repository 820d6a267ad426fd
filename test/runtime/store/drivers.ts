import { join } from 'node:path'
import type { Awaitable } from '../../../runtime/kernel/async/awaitable.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import {
  HeadFile,
  HeadReader,
  type LogStore,
  openStore,
  type StoreLocation,
  type StoreOptions,
  serveStore,
} from '../../../runtime/store/store.ts'
import { noPostgres, postgresPrograms, sharedPostgres } from '../../support/postgres.ts'
import { socketPair } from '../../support/socket-pair.ts'
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
  remote: () => remoteLocation({}),
}

/** The drivers by name, and how to open an empty store of each whose history begins with revision 1. */
export const freshStores: readonly (readonly [
  string,
  (options?: Partial<StoreOptions>) => Promise<LogStore>,
])[] = Object.entries(freshLocations)
  .filter(([name]) => name !== 'postgres' || postgresPrograms !== undefined)
  .map(([name, location]) => [
    name,
    async (options = {}) => {
      const all = { clock: { ...systemClock, now: () => 0 }, ...options }
      return openStore(name === 'remote' ? await remoteLocation(options) : await location(), all)
    },
  ])

/** The other end of a store in this process, which is closed with it. */
async function remoteLocation(
  options: Partial<StoreOptions>,
): Promise<Extract<StoreLocation, { kind: 'remote' }>> {
  const head = new HeadFile()
  const onCommit = (revision: number) => head.note(revision)
  const all = { clock: { ...systemClock, now: () => 0 }, ...options, onCommit }
  const store = await openStore({ kind: 'memory' }, all)
  const [near, far] = await socketPair()
  serveStore(store, far)
  far.once('close', () => void store.close().then(() => head.close()))
  return { kind: 'remote', socket: near, head: new HeadReader(head.descriptor, process.pid) }
}

if (postgresPrograms === undefined) console.log(`SKIP stores in PostgreSQL: ${noPostgres}`)
