/** Lists of a strategic merge patch: merged by key or by value, and put in order. */

import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { itemShape, own } from '../typed/merge-shape.ts'
import { goText, mismatch, unspecifiedError } from './strategic-errors.ts'

type List = readonly Json[]

/** Merges one item; without an original the item is new. */
export type ItemMerger = (
  original: JsonObject | undefined,
  patch: JsonObject,
  merge: MergeStrategy | undefined,
) => Json

/** The list after a patch: replaced as a whole unless the schema says that it merges. */
export function mergeLists(
  original: List,
  patch: List,
  merge: MergeStrategy | undefined,
  mergeItem: ItemMerger,
): Json {
  const shape = itemShape(merge)
  if (merge?.patch?.includes('merge') !== true) {
    return patch.map((item) => (isObject(item) ? mergeItem(undefined, item, shape) : item))
  }
  if (original.length === 0 && patch.length === 0) return original
  const merged = holdsObjects(original, patch)
    ? mergeByKey(original, patch, merge, mergeItem)
    : unique([...original, ...patch])
  return Array.isArray(merged)
    ? arranged(merged as List, patch, original, merge.patchKey)
    : (merged as { readonly replaced: List }).replaced
}

/** True for lists of objects, false for lists of scalars; lists of lists do not merge. */
function holdsObjects(...lists: readonly List[]): boolean {
  const items = lists.flat()
  if (items.some((item) => Array.isArray(item))) throw mismatch()
  const objects = items.filter((item) => isObject(item)).length
  if (objects > 0 && objects < items.length) {
    throw unspecifiedError('list element types are not identical')
  }
  return objects > 0
}

/** The items without repetitions. Of equal items the last one is kept, in the position of the first. */
function unique(items: List): List {
  return [...new Map(items.map((item) => [identity(item), item] as const)).values()]
}

/** A text that only equal items share: that of the key property where there is one, else of the whole item. */
function identity(item: Json | undefined, key?: string): string {
  const value = key !== undefined && isObject(item) ? own(item, key) : item
  if (typeof value === 'object' || typeof value === 'bigint') {
    return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part))
  }
  return `${typeof value} ${value}`
}

/** The merged items, or those that a `$patch: replace` leaves. */
type Merged = List | { readonly replaced: List }

/** Merges the items of the patch into those of the original that have the same merge key. */
function mergeByKey(
  original: List,
  patch: List,
  merge: MergeStrategy,
  mergeItem: ItemMerger,
): Merged {
  const key = merge.patchKey
  if (key === undefined) throw unspecifiedError('cannot merge lists without merge key')
  const shape = itemShape(merge)
  const items = patch as readonly JsonObject[]
  const plain = items.filter((item) => own(item, '$patch') === undefined)
  const replaces = items.some((item) => own(item, '$patch') === 'replace')
  const result = [...withoutDeleted(original, items, key)]
  if (replaces) return { replaced: plain.map((item) => mergeItem(undefined, item, shape)) }
  const positions = positionsOf(result, key)
  for (const item of plain) {
    const name = identity(mergeKeyValue(item, key))
    const at = positions.get(name) ?? result.length
    result[at] = mergeItem(result[at] as JsonObject | undefined, item, shape)
    positions.set(name, at)
  }
  return result
}

/** The first index of each item, by identity. */
function positionsOf(list: List, key: string | undefined): Map<string, number> {
  const positions = new Map<string, number>()
  for (const [index, item] of list.entries()) {
    const name = identity(item, key)
    if (!positions.has(name)) positions.set(name, index)
  }
  return positions
}

/** The original without the items that the patch deletes. Any other directive in an item is an error. */
function withoutDeleted(original: List, patch: readonly JsonObject[], key: string): List {
  const deleted = new Set<string>()
  for (const item of patch) {
    const directive = own(item, '$patch')
    if (directive === 'delete') {
      deleted.add(identity(mergeKeyValue(item, key)))
    } else if (directive === 'merge') {
      throw unspecifiedError('merging lists cannot yet be specified in the patch')
    } else if (directive !== undefined && directive !== 'replace') {
      throw unspecifiedError(`unknown patch type: ${goText(directive)} in map: ${goText(item)}`)
    }
  }
  return deleted.size === 0 ? original : original.filter((one) => !deleted.has(identity(one, key)))
}

/** The merge key of an item; an item without one is an error. */
function mergeKeyValue(item: JsonObject, key: string): Json {
  const value = own(item, key)
  if (value !== undefined) return value
  throw unspecifiedError(`map: ${goText(item)} does not contain declared merge key: ${key}`)
}

/** The list without these items. */
export function withoutItems(list: List, items: List): List {
  const gone = new Set(items.map((item) => identity(item)))
  return list.filter((one) => !gone.has(identity(one)))
}

/** What an order directive is about: the merged list, the stored one, the patch's own and the wanted order. */
export interface Ordering {
  readonly merged: List
  readonly server: List
  readonly patch: List
  readonly order: List
}

/** The merged list in the wanted order. The items of the patch must themselves be in that order. */
export function orderLists(
  { merged, server, patch, order }: Ordering,
  merge?: MergeStrategy,
): List {
  const key = merge?.patch?.includes('merge') === true ? merge.patchKey : undefined
  const positions = positionsOf(order, key)
  let last = -1
  for (const item of patch) {
    if (isObject(item) && own(item, '$patch') !== undefined) continue
    const at = positions.get(identity(item, key)) ?? -1
    if (at <= last) {
      throw unspecifiedError(
        `The order in patch list:\n${goText(patch as Json)}\n doesn't match $setElementOrder list:\n${goText(order as Json)}\n`,
      )
    }
    last = at
  }
  return arranged(merged, order, server, key)
}

/**
 * Items that `wanted` names are in its order, the others in the server's: each before the first named item that the
 * server has after it.
 */
function arranged(merged: List, wanted: List, server: List, key: string | undefined): List {
  const [inWanted, inServer] = [positionsOf(wanted, key), positionsOf(server, key)]
  const placed = merged.map((item) => {
    const name = identity(item, key)
    return { item, wanted: inWanted.get(name) ?? -1, server: inServer.get(name) ?? -1 }
  })
  const named = placed.filter((one) => one.wanted >= 0).sort((a, b) => a.wanted - b.wanted)
  const others = placed.filter((one) => one.wanted < 0).sort((a, b) => a.server - b.server)
  const result: Json[] = []
  let next = 0
  for (const { item, server: at } of named) {
    while (at >= 0 && next < others.length && others[next]!.server < at) {
      result.push(others[next++]!.item)
    }
    result.push(item)
  }
  return [...result, ...others.slice(next).map(({ item }) => item)]
}
