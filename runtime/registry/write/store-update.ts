import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { encodeJson, withoutResourceVersion } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Item, WriteResult } from '../contract/contract.ts'
import { fromStoreError, isStoreError } from '../contract/errors.ts'
import { itemOf, itemOfObject } from '../storage/item.ts'
import { needsRewrite } from '../storage/needs-rewrite.ts'
import { isRemovable } from '../strategy/deletion-strategy.ts'
import { withVersion } from '../strategy/resource-versions.ts'
import { dropManagedFieldsIfTooLarge } from './drop-managed-fields-if-too-large.ts'
import type { ObjectUpdate } from './object-write.ts'

/**
 * Stores a prepared update in place of the entry that it was made of; undefined if another write was first. An update that
 * leaves the stored bytes as they are is not a write; one that takes the last finalizer off removes the object.
 */
export async function storeUpdate(
  write: ObjectUpdate,
  entry: Entry,
): Promise<WriteResult | undefined> {
  const { context, target, options, draft, object, stored, admission } = write
  const warnings = [...write.warnings, ...(admission?.warnings ?? [])]
  const result = (item: Item): WriteResult => ({ item, created: false, warnings })
  if (draft.large) await yieldToEventLoop()
  const value = encodeJson(object)
  if (isSameAsStored(context, value, entry)) return result(itemOf(entry))
  if (options.dryRun) {
    return result(itemOfObject(withVersion(object, stored.metadata.resourceVersion)))
  }
  const removed = isRemovable(target.kind, object)
  try {
    const item = removed ? await remove(context, entry, object) : await replace(write, entry, value)
    context.allocations?.commit(removed ? undefined : object)
    return result(item)
  } catch (error) {
    if (isStoreError(error, 'Conflict') || isStoreError(error, 'NotFound')) return undefined
    throw fromStoreError(error)
  }
}

/**
 * Compares the canonical bytes: a write that changes nothing gets no revision and wakes no watcher (A4). Bytes that an older
 * schema or an older key left are replaced all the same.
 */
function isSameAsStored(context: RegistryContext, value: Uint8Array, entry: Entry): boolean {
  const stored = withoutResourceVersion(entry.value)
  if (Buffer.compare(value, stored) !== 0) return false
  return !needsRewrite(entry) && context.isOutdated?.(entry.key) !== true
}

/** Replaces the entry under the revision that was read. @throws StoreError Conflict if another write was first. */
async function replace(write: ObjectUpdate, entry: Entry, value: Uint8Array): Promise<Item> {
  const { store } = write.context
  const put = (bytes: Uint8Array) => store.update(entry.key, entry.revision, bytes)
  return itemOf(await dropManagedFieldsIfTooLarge(write, put, value))
}

/** Removes the object whose last finalizer went; it is returned under the version of the deletion. */
async function remove({ store }: RegistryContext, entry: Entry, object: ApiObject): Promise<Item> {
  const { revision } = await store.delete(entry.key, entry.revision)
  return itemOfObject(withVersion(object, String(revision)))
}
