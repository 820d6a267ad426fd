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
import { withWarnings } from '../strategy/admission.ts'
import { policyWarnings } from './delete.ts'
import { list } from './list.ts'

/** How many deletions of one collection run at once. */
const concurrency = 64

/** As many warnings as headers can hold at most. */
const maxWarnings = 100

/** A request to delete the objects of a list. */
interface CollectionDelete {
  readonly target: Target
  readonly selection: ListOptions
  readonly options: DeleteOptions
}

/** Deletes one object. */
export type DeleteOne = (target: Target, options: DeleteOptions) => Promise<DeleteResult>

/**
 * Deletes every object of a list, each by itself. Objects that went or were replaced meanwhile are passed over. Warnings and
 * audit annotations of all deletions are gathered, each once.
 *
 * @throws StatusError the first refusal; deletions that were done stay done.
 */
export async function deleteCollection(
  context: RegistryContext,
  { target, selection, options }: CollectionDelete,
  deleteOne: DeleteOne,
): Promise<DeleteCollectionResult> {
  const warned = policyWarnings(target, options)
  const listed = await withWarnings(warned, () => list(context, target, selection))
  const removed: Item[] = []
  const warnings = new Set<string>(warned)
  const annotations = new Map<string, string>()
  for (let start = 0; start < listed.items.length; start += concurrency) {
    const batch = listed.items.slice(start, start + concurrency)
    const results = await Promise.all(
      batch.map((item) => deleteItem(target, item, options, deleteOne)),
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
  deleteOne: DeleteOne,
): Promise<DeleteResult | undefined> {
  const { name, namespace, uid } = item.object().metadata
  const preconditions = { uid, ...options.preconditions }
  const one = { ...target, name, ...(namespace && { namespace }) }
  try {
    return await deleteOne(one, { ...options, preconditions })
  } catch (error) {
    const replaced = options.preconditions === undefined && isStatus(error, 'Conflict')
    if (replaced || isStatus(error, 'NotFound')) return undefined
    throw error
  }
}
