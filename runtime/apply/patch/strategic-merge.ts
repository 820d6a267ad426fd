/**
 * Strategic merge patch: a merge patch that knows which lists merge and by which key, and that takes directives
 * (supplement P-05 and P-06). It reads the same facts as apply, and changes neither the original nor the patch.
 */

import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { fieldShape, own } from '../typed/merge-shape.ts'
import { badDirective, goText, mismatch, unspecifiedError } from './strategic-errors.ts'
import { type ItemMerger, mergeLists, orderLists, withoutItems } from './strategic-lists.ts'

const marker = '$patch'
const retain = '$retainKeys'
const orderPrefix = '$setElementOrder/'
const deletePrefix = '$deleteFromPrimitiveList/'

/** The original with the patch merged into it. Throws `BadRequest`, `Invalid` or an error without a reason. */
export function strategicMerge(
  original: JsonObject,
  patch: JsonObject,
  merge: MergeStrategy,
): Json {
  return mergeObjects(original, patch, merge)
}

function mergeObjects(
  original: JsonObject,
  patch: JsonObject,
  merge: MergeStrategy | undefined,
): Json {
  const directive = own(patch, marker)
  if (directive === 'delete') return {}
  if (directive === 'replace') return fresh(withoutMarker(patch), merge)
  if (directive !== undefined && directive !== 'merge') {
    throw unspecifiedError(`unknown patch type: ${goText(directive)} in map: ${goText(patch)}`)
  }
  const result = retained(original, patch)
  for (const [name, value] of Object.entries(patch)) {
    if (value !== undefined && !name.startsWith('$')) {
      mergeField(result, name, value, fieldShape(merge, name))
    }
  }
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith(orderPrefix)) {
      reorder(result, original, patch, name.slice(orderPrefix.length), value, merge)
    } else if (name.startsWith(deletePrefix)) {
      deleteItems(result, name.slice(deletePrefix.length), value)
    }
  }
  return result
}

function withoutMarker(patch: JsonObject): JsonObject {
  const { [marker]: _, ...rest } = patch
  return rest
}

/** A part that the original does not have: what the patch says of it, without nulls and directives. */
function fresh(value: Json, merge: MergeStrategy | undefined): Json {
  if (Array.isArray(value)) return mergeLists([], value, merge, mergeItem)
  return isObject(value) ? mergeObjects({}, value, merge) : value
}

const mergeItem: ItemMerger = (original, patch, merge) =>
  original === undefined ? fresh(patch, merge) : mergeObjects(original, patch, merge)

function mergeField(
  result: Record<string, Json>,
  name: string,
  value: Json,
  merge: MergeStrategy | undefined,
): void {
  const before = own(result, name)
  if (value === null || (before === undefined && isDeletion(value))) delete result[name]
  else define(result, name, merged(before, value, merge))
}

function isDeletion(value: Json): boolean {
  return isObject(value) && own(value, marker) === 'delete'
}

function merged(before: Json | undefined, value: Json, merge: MergeStrategy | undefined): Json {
  if (isObject(before) && isObject(value)) {
    return merge?.patch?.includes('replace') === true
      ? fresh(value, merge)
      : mergeObjects(before, value, merge)
  }
  if (Array.isArray(before) && Array.isArray(value)) {
    return mergeLists(before, value, merge, mergeItem)
  }
  return fresh(value, merge)
}

/** A copy of the original, with no other fields than those of a `$retainKeys` list if the patch has one. */
function retained(original: JsonObject, patch: JsonObject): Record<string, Json> {
  const keys = own(patch, retain)
  if (keys === undefined) return { ...(original as Record<string, Json>) }
  if (!Array.isArray(keys)) throw badDirective('invalid patch format of retainKeys')
  const kept = new Set<Json>(keys)
  for (const [name, value] of Object.entries(patch)) {
    if (value !== null && !name.startsWith('$') && !kept.has(name)) throw mismatch()
  }
  const fields = Object.entries(original as Record<string, Json>).filter(([name]) => kept.has(name))
  const result: Record<string, Json> = {}
  for (const [name, value] of fields) define(result, name, value)
  return result
}

function reorder(
  result: Record<string, Json>,
  original: JsonObject,
  patch: JsonObject,
  name: string,
  order: Json | undefined,
  merge: MergeStrategy | undefined,
): void {
  if (!Array.isArray(order)) throw badDirective('invalid patch format of setElementOrder list')
  const list = own(result, name)
  if (!Array.isArray(list)) return
  const [before, given] = [own(original, name), own(patch, name)]
  const lists = {
    merged: list as readonly Json[],
    server: Array.isArray(before) ? (before as readonly Json[]) : [],
    patch: Array.isArray(given) ? (given as readonly Json[]) : [],
    order: order as readonly Json[],
  }
  define(result, name, orderLists(lists, fieldShape(merge, name)))
}

function deleteItems(result: Record<string, Json>, name: string, items: Json | undefined): void {
  if (!Array.isArray(items)) throw badDirective('invalid patch format of primitive list')
  const list = own(result, name)
  if (Array.isArray(list)) define(result, name, withoutItems(list, items))
}
