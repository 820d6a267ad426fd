import type { Client, MergePatch } from '../client/client.ts'
import { keyOf } from '../informer/informer.ts'
import type { Kind } from '../kernel/kind.ts'
import type { ApiObject, Stored } from '../kernel/object.ts'
import { isStatus } from '../kernel/status.ts'

/** The object with the finalizer on it, stored. Fails `Conflict` if the object has changed since. */
export async function held<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<Stored<T>> {
  const { finalizers = [] } = object.metadata
  if (finalizers.includes(finalizer)) return object
  return write(client, kind, object, [...finalizers, finalizer])
}

/** Takes the finalizer off: the object goes if it was the last one. */
export async function released<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<void> {
  const left = object.metadata.finalizers?.filter((name) => name !== finalizer) ?? []
  try {
    await write(client, kind, object, left)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
}

function write<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Stored<T>,
  finalizers: readonly string[],
): Promise<Stored<T>> {
  const { resourceVersion } = object.metadata
  const patch = { metadata: { resourceVersion, finalizers } }
  return client.resource(kind).mergePatch(keyOf(object), patch as unknown as MergePatch<T>)
}
