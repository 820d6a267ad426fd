import type { MergePatch, Resource } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject } from '../../kernel/values/json.ts'

/**
 * Writes what a status changes, and no other field of it; gives the object as it is then stored.
 *
 * @throws StatusError `Conflict` if the object has changed since.
 */
export function patchStatus<T extends ApiObject>(
  resource: Resource<T>,
  object: Stored<T>,
  status: unknown,
): Promise<Stored<T>> {
  const { resourceVersion } = object.metadata
  const { status: last } = object as { readonly status?: unknown }
  const patch = { metadata: { resourceVersion }, status: patchBetween(last, status) }
  return resource.mergePatch(objectKey(object), patch as unknown as MergePatch<T>, {
    subresource: 'status',
  })
}

/** The merge patch that leads from one value to another. */
function patchBetween(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after ?? null
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => !deepEqual(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, patchBetween(before[name], after[name])]))
}
