/** The patches by which the command-line client applies on its own side (`kubectl apply` without `--server-side`). */
import { isDeepStrictEqual } from 'node:util'
import { fieldShape, itemShape } from '../../runtime/apply/typed/merge-shape.ts'
import type { MergeStrategy } from '../../runtime/kernel/descriptors/kind.ts'
import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** What is applied: the manifest with its own text as an annotation. */
export function withOwnText(manifest: JsonObject): JsonObject {
  const { metadata, ...rest } = manifest as { readonly metadata: JsonObject }
  const { [annotation]: _, ...annotations } = objectAt(metadata, 'annotations')
  const text = JSON.stringify({ ...rest, metadata: { ...metadata, annotations } })
  return { ...rest, metadata: { ...metadata, annotations: { ...annotations, [annotation]: text } } }
}

/**
 * The patch that makes `live` what `given` says: what differs from the live object, and without the fields of the text that was
 * applied last and that this one does not have. Strategic with merge facts, a merge patch without. Empty if there is nothing to send.
 */
export function threeWayPatch(
  live: JsonObject,
  given: JsonObject,
  merge: MergeStrategy | undefined,
): JsonObject {
  const text = objectAt(objectAt(live, 'metadata'), 'annotations')[annotation]
  const last: JsonObject = typeof text === 'string' ? JSON.parse(text) : {}
  return combined(deletions(last, given), changes(live, given, merge))
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isObject(value) ? value : {}
}

/** What `given` has that `live` has not, or has otherwise. */
function changes(live: JsonObject, given: JsonObject, merge: MergeStrategy | undefined) {
  const patch: Record<string, Json> = {}
  for (const [name, value] of Object.entries(given)) {
    const before = live[name]
    if (value === undefined || isDeepStrictEqual(before, value)) continue
    const shape = merge && fieldShape(merge, name)
    if (isObject(before) && isObject(value) && !shape?.patch?.includes('replace')) {
      const inner = changes(before, value, shape)
      if (Object.keys(inner).length > 0) patch[name] = retaining(inner, value, shape)
    } else if (Array.isArray(before) && Array.isArray(value) && shape?.patch?.includes('merge')) {
      const items = changedItems(before, value, shape)
      if (items.length > 0) patch[name] = items
      if (before.length > 0) patch[`$setElementOrder/${name}`] = orderOf(value, shape.patchKey)
    } else patch[name] = value
  }
  return patch
}

function retaining(patch: JsonObject, given: JsonObject, shape: MergeStrategy | undefined) {
  return shape?.patch?.includes('retainKeys')
    ? { ...patch, $retainKeys: Object.keys(given).sort() }
    : patch
}

function changedItems(live: readonly Json[], given: readonly Json[], shape: MergeStrategy): Json[] {
  const key = shape.patchKey
  if (key === undefined) {
    return given.filter((item) => !live.some((one) => isDeepStrictEqual(one, item)))
  }
  return (given as readonly JsonObject[]).flatMap((item) => {
    const before = (live as readonly JsonObject[]).find((one) => one[key] === item[key])
    if (before === undefined) return [item]
    const inner = changes(before, item, itemShape(shape))
    if (Object.keys(inner).length === 0) return []
    return [{ ...retaining(inner, item, shape), [key]: item[key] as Json }]
  })
}

function orderOf(list: readonly Json[], key: string | undefined): Json {
  if (key === undefined) return list as Json
  return (list as readonly JsonObject[]).map((item) => ({ [key]: item[key] as Json }))
}

/** The fields that go: in `last`, and not in `given`. Of lists no item goes. */
function deletions(last: JsonObject, given: JsonObject): JsonObject {
  const patch: Record<string, Json> = {}
  for (const [name, before] of Object.entries(last)) {
    const value = given[name]
    if (value === undefined) patch[name] = null
    else if (isObject(before) && isObject(value)) {
      const inner = deletions(before, value)
      if (Object.keys(inner).length > 0) patch[name] = inner
    }
  }
  return patch
}

function combined(gone: JsonObject, changed: JsonObject): JsonObject {
  const patch: Record<string, Json> = { ...(gone as Record<string, Json>) }
  for (const [name, value] of Object.entries(changed as Record<string, Json>)) {
    const other = patch[name]
    patch[name] = isObject(other) && isObject(value) ? combined(other, value) : value
  }
  return patch
}
