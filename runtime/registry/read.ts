import type { Context } from './context.ts'
import { recentEntry } from './converting-view.ts'
import { notFound } from './errors.ts'
import { itemOf } from './item.ts'
import { keyOf } from './keys.ts'
import type { Item, ReadOptions, Target } from './registry.ts'
import { parseVersion, reach } from './version.ts'

/** The latest object, where the cache is known to have it. */
export function peek({ store }: Context, target: Target): Item | undefined {
  const entry = store.fresh ? store.peek(keyOf(target, target.name ?? '')) : undefined
  return entry && itemOf(entry)
}

/** Reads one object: the latest one, or any one not older than the given version. */
export async function get(context: Context, target: Target, options: ReadOptions): Promise<Item> {
  const name = target.name ?? ''
  const key = keyOf(target, name)
  const version = parseVersion(options.resourceVersion)
  if (version !== undefined) await reach(context, version)
  const entry =
    version === undefined ? await context.store.get(key) : await recentEntry(context.store, key)
  if (entry === undefined) throw notFound(target.kind, name)
  return itemOf(entry)
}
