/**
 * The names of custom kinds as entries of the store, one for each group: of two servers that give a name to two definitions at the same
 * time the store lets one.
 */
import { encodeJson, parseTrustedJson } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'
import { isStoreError } from '../contract/errors.ts'

/** What the keys of names begin with. No collection has this prefix, because no API group has this name. */
export const namesPrefix = '/names/'

/** The names that a definition holds: of resources, and of kinds. */
export interface HeldNames {
  /** The uid of the definition: one that is made anew is another holder. */
  readonly uid: string
  readonly resources: readonly string[]
  readonly kinds: readonly string[]
}

/** Who holds which names of a group at one revision. */
export interface GroupNames {
  /** Undefined where no name is held. */
  readonly revision: number | undefined
  /** By the name of the definition. */
  readonly holders: ReadonlyMap<string, HeldNames>
}

/** The names of custom kinds that are held, over all servers of a store. */
export interface NameTable {
  /** As this server has followed the store. */
  cached(group: string): GroupNames
  /** As of now. */
  read(group: string): Promise<GroupNames>
  /** Puts other holders in the place of those that were read. Resolves to false if they have changed meanwhile. */
  write(group: string, before: GroupNames, holders: GroupNames['holders']): Promise<boolean>
}

/** The names that are held in this store. */
export function createNameTable(store: WatchCache): NameTable {
  return {
    cached: (group) => namesOf(store.getCached(keyOf(group))),
    read: async (group) => namesOf(await store.get(keyOf(group))),
    async write(group, { revision }, holders) {
      const key = keyOf(group)
      const value = encodeJson({
        metadata: { name: group, uid: group },
        holders: Object.fromEntries(holders),
      } as never)
      try {
        if (revision === undefined) await store.create(key, value)
        else await store.update(key, revision, value)
        return true
      } catch (error) {
        const lost = ['AlreadyExists', 'Conflict', 'NotFound'] as const
        if (lost.some((reason) => isStoreError(error, reason))) return false
        throw error
      }
    },
  }
}

function keyOf(group: string): string {
  return `${namesPrefix}${group}`
}

function namesOf(entry: Entry | undefined): GroupNames {
  if (entry === undefined) return { revision: undefined, holders: new Map() }
  const { holders } = parseTrustedJson(entry.value) as never as {
    readonly holders: Readonly<Record<string, HeldNames>>
  }
  return { revision: entry.revision, holders: new Map(Object.entries(holders)) }
}
