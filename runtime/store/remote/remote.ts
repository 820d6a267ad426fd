import type { StoreDriver } from '../driver.ts'
import { openRemoteStore, type RemoteLocation } from './remote-store.ts'

/** The store of another process of the same server. */
export const remoteDriver: StoreDriver<RemoteLocation> = {
  shared: true,
  parse: () => undefined,
  problem: () => undefined,
  open: (location) => openRemoteStore(location),
}
