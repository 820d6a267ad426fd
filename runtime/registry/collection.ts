import { isStatus } from '../kernel/status.ts'
import type { Context } from './context.ts'
import { list } from './list.ts'
import type { Deleted, DeletedMany, DeleteOptions, Item, ListOptions, Target } from './registry.ts'

/** How many deletions of one collection are under way at once. */
const width = 64

/** More warnings than a client is ever told. */
const mostWarnings = 100

/** Deletes one object. */
export type Remove = (target: Target, options: DeleteOptions) => Promise<Deleted>

/**
 * Deletes every object that a list gives, each by itself; what went or was replaced meanwhile is not missed. What is said of
 * each deletion is said of all of them together, once.
 */
export async function removeCollection(
  context: Context,
  target: Target,
  selection: ListOptions,
  options: DeleteOptions,
  remove: Remove,
): Promise<DeletedMany> {
  const listed = await list(context, target, selection)
  const removed: Item[] = []
  const warnings = new Set<string>()
  const annotations = new Map<string, string>()
  for (let start = 0; start < listed.items.length; start += width) {
    const batch = listed.items.slice(start, start + width)
    const results = await Promise.all(
      batch.map((item) => removeItem(target, item, options, remove)),
    )
    removed.push(...batch.filter((_, index) => results[index] !== undefined))
    for (const result of results) {
      for (const text of result?.warnings ?? [])
        if (warnings.size < mostWarnings) warnings.add(text)
      for (const [key, note] of result?.annotations ?? []) annotations.set(key, note)
    }
  }
  const { items, runs, ...rest } = listed
  return {
    ...rest,
    items: removed,
    ...(warnings.size > 0 && { warnings: [...warnings] }),
    ...(annotations.size > 0 && { annotations }),
  }
}

async function removeItem(
  target: Target,
  item: Item,
  options: DeleteOptions,
  remove: Remove,
): Promise<Deleted | undefined> {
  const { name = '', namespace, uid = '' } = item.object().metadata
  const preconditions = { uid, ...options.preconditions }
  const one = { ...target, name, ...(namespace && { namespace }) }
  try {
    return await remove(one, { ...options, preconditions })
  } catch (error) {
    const replaced = options.preconditions === undefined && isStatus(error, 'Conflict')
    if (replaced || isStatus(error, 'NotFound')) return undefined
    throw error
  }
}
