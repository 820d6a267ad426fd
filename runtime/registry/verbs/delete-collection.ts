import { isStatus } from '../../kernel/errors/status-error.ts'
import type { RegistryContext } from '../contract/context.ts'
import type {
  DeleteCollectionResult,
  DeleteOptions,
  DeleteResult,
  Item,
  ListOptions,
  Target,
} from '../contract/contract.ts'
import { list } from './list.ts'

/** How many deletions of one collection are under way at once. */
const concurrency = 64

/** More warnings than a client is ever told. */
const maxWarnings = 100

/** Deletes one object. */
export type DeleteOne = (target: Target, options: DeleteOptions) => Promise<DeleteResult>

/**
 * Deletes every object that a list gives, each by itself; what went or was replaced meanwhile is not missed. What is said of
 * each deletion is said of all of them together, once.
 */
export async function deleteCollection(
  context: RegistryContext,
  target: Target,
  selection: ListOptions,
  options: DeleteOptions,
  remove: DeleteOne,
): Promise<DeleteCollectionResult> {
  const listed = await list(context, target, selection)
  const removed: Item[] = []
  const warnings = new Set<string>()
  const annotations = new Map<string, string>()
  for (let start = 0; start < listed.items.length; start += concurrency) {
    const batch = listed.items.slice(start, start + concurrency)
    const results = await Promise.all(
      batch.map((item) => deleteItem(target, item, options, remove)),
    )
    removed.push(...batch.filter((_, index) => results[index] !== undefined))
    for (const result of results) {
      for (const text of result?.warnings ?? []) if (warnings.size < maxWarnings) warnings.add(text)
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

async function deleteItem(
  target: Target,
  item: Item,
  options: DeleteOptions,
  remove: DeleteOne,
): Promise<DeleteResult | undefined> {
  const { name, namespace, uid } = item.object().metadata
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
