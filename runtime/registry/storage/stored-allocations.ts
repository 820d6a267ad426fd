/** Allocations as entries of the store: the key is the value, so that of two writers who want it the store lets one have it. */
import type { AllocatedValue } from '../../apis/apis.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { encodeJson, parseTrustedJson } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'
import { isStoreError } from '../contract/errors.ts'
import { objectKey } from './keys.ts'

/** What the keys of allocations begin with. No collection has this prefix, because no API group has this name. */
export const allocationsPrefix = '/ranges/'

/** The key of a value's allocation. */
export function allocationKey({ pool, value }: AllocatedValue): string {
  return `${allocationsPrefix}${pool}/${value}`
}

/** Allocates a value to an object; undefined if another object has it. */
export async function allocateValue(
  store: WatchCache,
  kind: AnyKind,
  allocated: AllocatedValue,
  { metadata: { uid, name, namespace } }: Stored<ApiObject>,
): Promise<Entry | undefined> {
  const holder = objectKey({ kind, ...(namespace !== undefined && { namespace }) }, name)
  const value = { metadata: { name: allocated.value, uid }, holder }
  try {
    return await store.create(allocationKey(allocated), encodeJson(value as never))
  } catch (error) {
    if (isStoreError(error, 'AlreadyExists')) return undefined
    throw error
  }
}

/** The uid and the key of the object that a value is allocated to. */
export function allocationHolder(entry: Entry): { readonly uid: string; readonly key: string } {
  const { metadata, holder } = parseTrustedJson(entry.value) as never as {
    readonly metadata: { readonly uid: string }
    readonly holder: string
  }
  return { uid: metadata.uid, key: holder }
}

/** Releases an allocation, unless it is gone or another object has it by now. */
export async function releaseAllocation(store: WatchCache, entry: Entry): Promise<void> {
  try {
    await store.delete(entry.key, entry.revision)
  } catch (error) {
    const gone = ['NotFound', 'Conflict', 'Closed'] as const
    if (!gone.some((reason) => isStoreError(error, reason))) throw error
  }
}
