/** Lists of a strategic merge patch: merged by key or by value, and put in order. */

import type { Steps } from '../../kernel/async/slices.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { itemShape, own } from '../typed/merge-shape.ts'
import { withoutDirectives } from './strategic-directives.ts'
import {
  goText,
  mismatch,
  unknownDirective,
  unspecifiedError,
  wrongType,
} from './strategic-errors.ts'

type List = readonly Json[]

/** Merges an item of the patch into the item of the original that has the same merge key. */
export type ItemMerger = (
  original: JsonObject,
  patch: JsonObject,
  merge: MergeStrategy | undefined,
) => Steps<Json>

/** Items that are merged, counted as microseconds. */
function costOf(...lists: readonly List[]): number {
  return lists.reduce((sum, { length }) => sum + length, 1)
}

/** The list after a patch: replaced as a whole unless the schema says that it merges. */
export function* mergeLists(
  original: List,
  patch: List,
  merge: MergeStrategy | undefined,
  mergeItem: ItemMerger,
): Steps<List> {
  if (merge?.patch?.includes('merge') !== true) return patch
  if (original.length === 0 && patch.length === 0) return original
  yield costOf(original, patch)
  if (holdsObjects(original, patch)) return yield* mergeByKey(original, patch, merge, mergeItem)
  return yield* arranged(unique([...original, ...patch]), patch, original, merge.patchKey)
}

/** The list without these items; a list of objects merges with them. */
export function* deleteItems(
  list: List,
  items: List,
  merge: MergeStrategy | undefined,
  mergeItem: ItemMerger,
): Steps<List> {
  if (list.length === 0 && items.length === 0) return list
  yield costOf(list, items)
  if (holdsObjects(list, items)) return yield* mergeByKey(list, items, merge, mergeItem)
  const gone = new Set(items.map((item) => identity(item)))
  return list.filter((one) => !gone.has(identity(one)))
}

/** True for lists of objects, false for lists of scalars; lists of lists do not merge. */
function holdsObjects(...lists: readonly List[]): boolean {
  const items = lists.flat()
  if (Array.isArray(items[0])) throw mismatch()
  const [first, ...types] = new Set(items.map(typeOf))
  if (first === undefined) throw unspecifiedError('no elements in any of the given slices')
  if (types.length > 0) {
    throw unspecifiedError(`list element types are not identical: ${goText(lists as never)}`)
  }
  return first === 'map'
}

function typeOf(item: Json): string {
  if (isObject(item)) return 'map'
  if (Array.isArray(item)) return 'list'
  return typeof item === 'bigint' ? 'number' : typeof item
}

/** The items without repetitions: of equal items the first. */
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

/**
 * Merges the items of the patch into those of the original that have the same merge key; the others are added as they are.
 * A `$patch: replace` leaves nothing of the original.
 */
function* mergeByKey(
  original: List,
  patch: List,
  merge: MergeStrategy | undefined,
  mergeItem: ItemMerger,
): Steps<List> {
  const key = merge?.patchKey
  if (key === undefined) throw unspecifiedError('cannot merge lists without merge key')
  const items = patch as readonly JsonObject[]
  const plain = items.filter((item) => own(item, '$patch') === undefined)
  const kept = withoutDeleted(original, items, key)
  if (items.some((item) => own(item, '$patch') === 'replace'))
    return yield* arranged(plain, [], plain, key)
  const result = [...kept]
  const positions = positionsOf(result, key)
  yield costOf(kept, patch)
  for (const item of plain) {
    yield 2
    const name = identity(mergeKeyValue(item, key))
    const at = positions.get(name)
    if (at === undefined) positions.set(name, result.push(item) - 1)
    else result[at] = yield* mergeItem(result[at] as JsonObject, item, itemShape(merge))
  }
  return yield* arranged(result, plain, kept, key)
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
      throw unknownDirective(directive, item)
    }
  }
  return deleted.size === 0 ? original : original.filter((one) => !deleted.has(identity(one, key)))
}

/** The merge key of an item; an item without one is an error. */
function mergeKeyValue(item: Json, key: string): Json {
  if (!isObject(item)) throw wrongType('map[string]interface {}', item)
  const value = own(item, key)
  if (value !== undefined) return value
  throw unspecifiedError(`map: ${goText(item)} does not contain declared merge key: ${key}`)
}

/** What an order directive is about: the server's list, the patch's own and the wanted order. */
export interface Ordering {
  readonly server: List | undefined
  readonly given: List | undefined
  readonly order: List
}

/** The merged list in the wanted order. The items of the patch must themselves be in that order. */
export function* orderedList(
  { server, given, order }: Ordering,
  merge: MergeStrategy | undefined,
  mergeItem: ItemMerger,
): Steps<List> {
  const key = merge?.patchKey
  yield costOf(server ?? [], given ?? [], order)
  checkOrder(given ?? [], order, key)
  const merged =
    server === undefined
      ? withoutDirectives(given ?? [])
      : given === undefined
        ? server
        : yield* mergeLists(server, given, merge, mergeItem)
  holdsObjects(server ?? [], given ?? [])
  return yield* arranged(merged, order, serverOrder(server ?? [], given ?? [], key), key)
}

/** The server's order. New items take the places that deleted ones leave at its end. */
function serverOrder(server: List, given: List, key: string | undefined): List {
  if (key === undefined) return server
  const items = given as readonly JsonObject[]
  const kept = withoutDeleted(server, items, key)
  if (kept.length === server.length) return server
  const known = positionsOf(kept, key)
  const added = items.filter(
    (item) => own(item, '$patch') === undefined && !known.has(identity(item, key)),
  )
  return [...kept, ...added].slice(0, server.length)
}

/** Throws unless the items of the patch stand in the wanted order. Deletions stand anywhere. */
function checkOrder(patch: List, order: List, key: string | undefined): void {
  if (order.length === 0 || patch.length === 0) return
  let at = 0
  for (const item of patch) {
    const directive = isObject(item) ? own(item, '$patch') : undefined
    if (directive === 'delete' || (directive !== undefined && at < order.length)) continue
    const name = at < order.length ? nameOf(item, key) : undefined
    while (at < order.length && nameOf(order[at]!, key) !== name) at++
    if (at++ < order.length) continue
    throw unspecifiedError(
      `The order in patch list:\n${goText(patch as Json)}\n doesn't match $setElementOrder list:\n${goText(order as Json)}\n`,
    )
  }
}

/** What identifies an item in a list that is put in order: its merge key, which it must have. */
function nameOf(item: Json, key: string | undefined): string {
  return identity(key === undefined ? item : mergeKeyValue(item, key))
}

/**
 * Items that `wanted` names are in its order, the others in the server's: each before the first named item that the
 * server has after it.
 */
function* arranged(merged: List, wanted: List, server: List, key: string | undefined): Steps<List> {
  const [inWanted, inServer] = [positionsOf(wanted, key), positionsOf(server, key)]
  yield costOf(wanted, server)
  const placed = merged.map((item) => {
    const name = nameOf(item, key)
    return { item, wanted: inWanted.get(name) ?? -1, server: inServer.get(name) ?? -1 }
  })
  const named = placed.filter((one) => one.wanted >= 0).sort((a, b) => a.wanted - b.wanted)
  yield costOf(merged)
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
