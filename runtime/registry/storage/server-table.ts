/** The servers that share a store, as entries of it: each renews its own, so that the others see by the revision that it is there. */
import { encodeJson, parseTrustedJson } from '../../serializer/serializer.ts'
import type { WatchCache } from '../../watch/watch.ts'
import { isStoreError } from '../contract/errors.ts'

/** What the keys of servers begin with. No collection has this prefix, because no API group has this name. */
export const serversPrefix = '/servers/'

/** Where a server is found. */
export interface ServerEndpoint {
  readonly address: string
  readonly port: number
}

/** One server that is or was there. */
export interface ServerEntry {
  /** Names the endpoint. */
  readonly key: string
  /** Changes whenever the server renews its entry. */
  readonly revision: number
  readonly endpoint: ServerEndpoint
}

/** The servers of a store. */
export interface ServerTable {
  list(): Promise<readonly ServerEntry[]>
  /** Writes that a server is there. One that another process at the same endpoint has written meanwhile will do. */
  renew(endpoint: ServerEndpoint): Promise<void>
  /** Removes an entry, unless it is gone or was renewed. */
  remove(entry: ServerEntry): Promise<void>
  keyOf(endpoint: ServerEndpoint): string
}

/** The servers of this store. */
export function createServerTable(store: WatchCache): ServerTable {
  return {
    keyOf,
    async list() {
      const { entries } = await store.list(serversPrefix)
      return entries.map(({ key, revision, value }) => {
        const { endpoint } = parseTrustedJson(value) as never as Pick<ServerEntry, 'endpoint'>
        return { key, revision, endpoint }
      })
    },
    async renew(endpoint) {
      const key = keyOf(endpoint)
      const name = key.slice(serversPrefix.length)
      const value = encodeJson({ metadata: { name, uid: name }, endpoint } as never)
      const entry = await store.get(key)
      await unlessLost(
        entry === undefined ? store.create(key, value) : store.update(key, entry.revision, value),
      )
    },
    remove: ({ key, revision }) => unlessLost(store.delete(key, revision)),
  }
}

function keyOf({ address, port }: ServerEndpoint): string {
  return `${serversPrefix}${address}/${port}`
}

async function unlessLost(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    const lost = ['AlreadyExists', 'Conflict', 'NotFound'] as const
    if (!lost.some((reason) => isStoreError(error, reason))) throw error
  }
}
