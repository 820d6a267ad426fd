/** Changes a list of an object where nothing else of it matters. */
import type { Client, JsonPatch } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { Item } from './owner-graph.ts'

/** The lists that the collector changes. */
export type CollectedList = 'finalizers' | 'ownerReferences'

/**
 * Writes a list of the metadata of an object, if the list still is what was looked at: others may change the rest of the object at any
 * time, which is no reason to look again.
 *
 * @throws StatusError `Conflict` if the list or the object is another one meanwhile.
 */
export async function replaceList(
  client: Client,
  { kind, object }: Item,
  list: CollectedList,
  kept: readonly unknown[],
): Promise<void> {
  const before = object.metadata[list] ?? []
  if (deepEqual(before, kept)) return
  const path = `/metadata/${list}`
  const patch: JsonPatch = [
    { op: 'test', path: '/metadata/uid', value: object.metadata.uid },
    { op: 'test', path, value: before as unknown as Json },
    kept.length === 0 ? { op: 'remove', path } : { op: 'replace', path, value: kept as Json },
  ]
  const resource = client.resource<ApiObject>(kind)
  try {
    await resource.jsonPatch(objectKey(object), patch)
  } catch (error) {
    if (!isStatus(error, 'Invalid')) throw error
    if (isSame(await resource.get(objectKey(object)), object, list)) throw error
    throw new StatusError('Conflict', `the ${list} of ${object.metadata.name} have changed`)
  }
}

function isSame(now: Stored<ApiObject>, before: Stored<ApiObject>, list: CollectedList): boolean {
  const isIt = now.metadata.uid === before.metadata.uid
  return isIt && deepEqual(now.metadata[list] ?? [], before.metadata[list] ?? [])
}
