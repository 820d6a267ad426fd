import type { AllocatedValue } from '../../apis/apis.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { WatchCache } from '../../watch/watch.ts'
import {
  allocateValue,
  allocationHolder,
  allocationKey,
  allocationsPrefix,
  releaseAllocation,
} from './stored-allocations.ts'

/** A value of a common range that is allocated, and the uid of the object that it is allocated to. */
export interface StoredAllocation {
  /** Names the value. */
  readonly key: string
  /** The revision of the allocation: a later one of the same value is another allocation. */
  readonly revision: number
  readonly uid: string
}

/** The allocations in a store, outside of any write: what the controller that repairs them works with. */
export interface AllocationTable {
  keyOf(value: AllocatedValue): string
  list(): Promise<readonly StoredAllocation[]>
  /** Allocates a value to an object. Resolves to false if another object has it. */
  allocate(kind: AnyKind, value: AllocatedValue, object: Stored<ApiObject>): Promise<boolean>
  /** Releases an allocation, unless it is gone or has changed hands. */
  release(allocation: StoredAllocation): Promise<void>
}

/** The allocations that writes of a registry over this store make. */
export function createAllocationTable(store: WatchCache): AllocationTable {
  return {
    keyOf: allocationKey,
    async list() {
      const { entries } = await store.list(allocationsPrefix)
      return entries.map((entry) => {
        const { key, revision } = entry
        return { key, revision, uid: allocationHolder(entry).uid }
      })
    },
    allocate: async (kind, value, object) =>
      (await allocateValue(store, kind, value, object)) !== undefined,
    async release({ key, revision }) {
      const entry = store.getCached(key)
      if (entry?.revision === revision) await releaseAllocation(store, entry)
    },
  }
}
