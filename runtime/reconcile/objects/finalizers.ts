import type { Client, MergePatch } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'

/**
 * Puts a finalizer on an object, if it has it not; gives the object as it is then stored.
 *
 * @throws StatusError `Conflict` if the object has changed since.
 */
export async function addFinalizer<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<Stored<T>> {
  const { finalizers = [] } = object.metadata
  if (finalizers.includes(finalizer)) return object
  return writeFinalizers(client, kind, object, [...finalizers, finalizer])
}

/** Takes a finalizer off. An object that is being deleted goes with its last one. */
export async function removeFinalizer<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<void> {
  const left = object.metadata.finalizers?.filter((name) => name !== finalizer) ?? []
  try {
    await writeFinalizers(client, kind, object, left)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
}

function writeFinalizers<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Stored<T>,
  finalizers: readonly string[],
): Promise<Stored<T>> {
  const { resourceVersion } = object.metadata
  const patch = { metadata: { resourceVersion, finalizers } }
  return client.resource(kind).mergePatch(objectKey(object), patch as unknown as MergePatch<T>)
}
