/**
 * Strategic merge patch: a merge patch that knows which lists merge and by which key, and that takes directives
 * (supplement P-05 and P-06). It reads the same facts as apply, and changes neither the original nor the patch.
 */

import { runToCompletion, type Steps } from '../../kernel/async/slices.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { fieldShape, own } from '../typed/merge-shape.ts'
import { newValue } from './strategic-directives.ts'
import { badDirective, unknownDirective, wrongType } from './strategic-errors.ts'
import { deleteItems, type ItemMerger, mergeLists, orderedList } from './strategic-lists.ts'

const marker = '$patch'
const retain = '$retainKeys'
const orderPrefix = '$setElementOrder'
const deletePrefix = '$deleteFromPrimitiveList'

/** The original with the patch merged into it. Throws `BadRequest`, `Invalid` or an error without a reason. */
export function strategicMerge(
  original: JsonObject,
  patch: JsonObject,
  merge: MergeStrategy,
): Json {
  return runToCompletion(mergeObjects(original, patch, merge))
}

/** `strategicMerge` in steps: a patch may name one item again and again. */
export const strategicMergeSteps: ItemMerger = mergeObjects

function* mergeObjects(
  original: JsonObject,
  patch: JsonObject,
  merge: MergeStrategy | undefined,
): Steps<Json> {
  const directive = own(patch, marker)
  if (directive === 'delete') return {}
  if (directive === 'replace') return withoutMarker(patch)
  if (directive !== undefined) throw unknownDirective(directive, patch)
  const result = retained(original, patch)
  const ordered = yield* orderLists(result, patch, merge)
  const fields = Object.entries(patch)
  for (const [name, value] of fields) {
    if (value === undefined || isDirective(name) || ordered.has(name)) continue
    yield* mergeField(result, name, value, merge)
  }
  for (const [name, value] of fields) {
    if (value === undefined || !name.startsWith(deletePrefix)) continue
    yield* deleteFromField(result, fieldOf(name, deletePrefix, 'primitive'), value, merge)
  }
  return result
}

/** What replaces an object is taken as it is. */
function withoutMarker(patch: JsonObject): JsonObject {
  const { [marker]: _, ...rest } = patch
  return rest
}

function isDirective(name: string): boolean {
  return name === retain || name.startsWith(orderPrefix) || name.startsWith(deletePrefix)
}

/** The field that a directive is about. */
function fieldOf(name: string, prefix: string, list: string): string {
  if (name[prefix.length] === '/') return name.slice(prefix.length + 1)
  throw badDirective(`invalid patch format of ${list} list`)
}

/** Merges a field that both have; takes what is new as it is, without nulls and directives. */
function* mergeField(
  result: Record<string, Json>,
  name: string,
  value: Json,
  merge: MergeStrategy | undefined,
): Steps<void> {
  const before = own(result, name)
  const after = value === null ? undefined : yield* merged(before, value, fieldShape(merge, name))
  if (after === undefined) delete result[name]
  else define(result, name, after)
}

function* merged(
  before: Json | undefined,
  value: Json,
  merge: MergeStrategy | undefined,
): Steps<Json | undefined> {
  if (isObject(before) && isObject(value)) {
    if (merge?.patch?.includes('replace') === true) return value
    return yield* mergeObjects(before, value, merge)
  }
  if (Array.isArray(before) && Array.isArray(value)) {
    return yield* mergeLists(before, value, merge, mergeObjects)
  }
  return newValue(value)
}

/** Takes items out of a list; null removes the field, and a field that is no list stays. */
function* deleteFromField(
  result: Record<string, Json>,
  name: string,
  items: Json,
  merge: MergeStrategy | undefined,
): Steps<void> {
  const before = own(result, name)
  if (items === null) delete result[name]
  else if (Array.isArray(before) && Array.isArray(items)) {
    define(result, name, yield* deleteItems(before, items, fieldShape(merge, name), mergeObjects))
  }
}

/** A copy of the original, with no other fields than those of a `$retainKeys` list if the patch has one. */
function retained(original: JsonObject, patch: JsonObject): Record<string, Json> {
  const keys = own(patch, retain)
  if (keys === undefined) return { ...(original as Record<string, Json>) }
  if (!Array.isArray(keys)) throw badDirective('invalid patch format of retainKeys')
  const kept = new Set<Json>(keys)
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || kept.has(name) || isDirective(name)) continue
    throw badDirective('invalid patch format of retainKeys')
  }
  const fields = Object.entries(original as Record<string, Json>).filter(([name]) => kept.has(name))
  const result: Record<string, Json> = {}
  for (const [name, value] of fields) define(result, name, value)
  return result
}

/** Merges the lists that an order is given for, and puts them into it. Returns the names of their fields. */
function* orderLists(
  result: Record<string, Json>,
  patch: JsonObject,
  merge: MergeStrategy | undefined,
): Steps<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(orderPrefix) || order === undefined) continue
    if (!Array.isArray(order)) throw wrongType('[]interface {}', order)
    const name = fieldOf(directive, orderPrefix, 'setElementOrder')
    const [server, given] = [listAt(result, name), listAt(patch, name)]
    if (server === undefined && given === undefined) continue
    const shape = fieldShape(merge, name)
    define(result, name, yield* orderedList({ server, given, order }, shape, mergeObjects))
    names.add(name)
  }
  return names
}

function listAt(object: JsonObject, name: string): readonly Json[] | undefined {
  const value = own(object, name)
  if (value === undefined || Array.isArray(value)) return value
  throw wrongType('[]interface {}', value)
}
