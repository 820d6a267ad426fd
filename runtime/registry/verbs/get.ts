/** Reads of one object. The latest one is confirmed by the store, unless the cache is known to be up to date. */
import type { RegistryContext } from '../contract/context.ts'
import type { Item, ObjectTarget, ReadOptions } from '../contract/contract.ts'
import { notFound } from '../contract/errors.ts'
import { getRecent } from '../storage/converting-store.ts'
import { itemOf } from '../storage/item.ts'
import { objectKey, readableKey } from '../storage/keys.ts'
import { parseResourceVersion, waitForRevision } from '../storage/resource-version.ts'

/** The latest object, where the cache is known to have it. */
export function peek({ store }: RegistryContext, target: ObjectTarget): Item | undefined {
  const entry = store.isFresh ? store.getCached(objectKey(target, target.name)) : undefined
  return entry && itemOf(entry)
}

/** Reads one object: the latest one, or any one not older than the given version. */
export async function get(
  context: RegistryContext,
  target: ObjectTarget,
  options: ReadOptions,
): Promise<Item> {
  const name = target.name
  const key = readableKey(target)
  const version = parseResourceVersion(options.resourceVersion)
  if (version !== undefined) await waitForRevision(context, version)
  const entry =
    version === undefined ? await context.store.get(key) : await getRecent(context.store, key)
  if (entry === undefined) throw notFound(target.kind, name)
  return itemOf(entry)
}
