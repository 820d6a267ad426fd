import { isStatus } from '../kernel/status.ts'
import type { Context } from './context.ts'
import { list } from './list.ts'
import type { DeleteOptions, Item, Listed, ListOptions, Target } from './registry.ts'

/** How many deletions of one collection are under way at once. */
const width = 64

/** Deletes one object. */
export type Remove = (target: Target, options: DeleteOptions) => Promise<unknown>

/** Deletes every object that a list gives, each by itself; what went or was replaced meanwhile is not missed. */
export async function removeCollection(
  context: Context,
  target: Target,
  selection: ListOptions,
  options: DeleteOptions,
  remove: Remove,
): Promise<Listed> {
  const listed = await list(context, target, selection)
  const removed: Item[] = []
  for (let start = 0; start < listed.items.length; start += width) {
    const batch = listed.items.slice(start, start + width)
    const results = await Promise.all(
      batch.map((item) => removeItem(target, item, options, remove)),
    )
    removed.push(...batch.filter((_, index) => results[index]))
  }
  const { items, runs, ...rest } = listed
  return { ...rest, items: removed }
}

async function removeItem(
  target: Target,
  item: Item,
  options: DeleteOptions,
  remove: Remove,
): Promise<boolean> {
  const { name = '', namespace, uid = '' } = item.object().metadata
  const preconditions = { uid, ...options.preconditions }
  const one = { ...target, name, ...(namespace && { namespace }) }
  try {
    await remove(one, { ...options, preconditions })
    return true
  } catch (error) {
    const replaced = options.preconditions === undefined && isStatus(error, 'Conflict')
    if (replaced || isStatus(error, 'NotFound')) return false
    throw error
  }
}
