import type { StoreDriver, StoreOptions } from '../driver.ts'
import type { StoreKeeper } from '../keeper.ts'
import type { LogStore } from '../log-store.ts'
import { memoryDriver } from '../memory/memory.ts'
import { withoutPassword } from '../postgres/location.ts'
import { postgresDriver } from '../postgres/postgres.ts'
import { remoteDriver } from '../remote/remote.ts'
import { sqliteDriver } from '../sqlite/sqlite.ts'

/** One row for each kind of database, under the `kind` of its locations. */
export const drivers = {
  memory: memoryDriver,
  sqlite: sqliteDriver,
  postgres: postgresDriver,
  remote: remoteDriver,
}

type LocationOf<D> = D extends StoreDriver<infer L> ? L : never

/** Where objects are kept, as the driver that `kind` names reads it. */
export type StoreLocation = LocationOf<(typeof drivers)[keyof typeof drivers]>

/** How locations are written: `memory or sqlite:FILE or ...`. */
export const storeLocationForms = Object.values(drivers)
  .flatMap(({ form }) => form ?? [])
  .join(' or ')

/** The location that a text means; undefined if no driver reads it. */
export function parseStoreLocation(text: string): StoreLocation | undefined {
  for (const driver of Object.values(drivers)) {
    const location = driver.parse(text)
    if (location !== undefined) return location
  }
  return undefined
}

/** A text that is meant as a location, without the secrets in it: for messages. */
export const storeLocationText = withoutPassword

/** Why no store could be opened at a location; undefined if one could. Makes and changes nothing to find out. */
export function storeLocationProblem(location: StoreLocation): string | undefined {
  return driverOf(location).problem(location)
}

/** True where several servers may have the store open at once. */
export function isSharedStore(location: StoreLocation): boolean {
  return driverOf(location).shared === true
}

/**
 * Opens the store at a location, and makes it if there is none.
 *
 * @throws Error if it cannot be opened, with a message for the operator. Nothing is left behind then.
 */
export function openStore(location: StoreLocation, options: StoreOptions): Promise<LogStore> {
  return driverOf(location).open(location, options)
}

/** What moves and keeps the store at a location, bound to it; undefined where nothing is kept. */
export async function storeKeeper(location: StoreLocation): Promise<BoundKeeper | undefined> {
  const keeper = await driverOf(location).keeper?.()
  if (keeper === undefined) return undefined
  return {
    dump: (options) => keeper.dump(location, options),
    load: (dump, options) => keeper.load(location, dump, options),
    examine: (options) => keeper.examine(location, options),
    vacuum: (options) => keeper.vacuum(location, options),
    sizes: (options) => keeper.sizes(location, options),
  }
}

/** A keeper of one location. */
export type BoundKeeper = {
  readonly [K in keyof StoreKeeper<StoreLocation>]: StoreKeeper<StoreLocation>[K] extends (
    location: StoreLocation,
    ...rest: infer A
  ) => infer R
    ? (...rest: A) => R
    : never
}

function driverOf({ kind }: StoreLocation): StoreDriver<StoreLocation> {
  return drivers[kind] as StoreDriver<StoreLocation>
}
