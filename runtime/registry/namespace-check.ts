import type { ApiObject } from '../kernel/object.ts'
import { type Context, namespaceKind } from './context.ts'
import { forbidden, notFound } from './errors.ts'
import { itemOf } from './item.ts'
import { keyOfExisting } from './keys.ts'
import type { Target } from './registry.ts'

/** Fails with NotFound or Forbidden unless new objects may be made where the target is. */
export async function requireNamespace(
  { store, tree }: Context,
  target: Target,
  object: ApiObject,
): Promise<void> {
  const { kind, namespace } = target
  const namespaces = namespaceKind(tree)
  if (kind.scope === 'Cluster' || namespace === undefined || namespaces === undefined) return
  const key = keyOfExisting({ kind: namespaces, name: namespace })
  const entry = store.peek(key) ?? (await store.get(key))
  if (entry === undefined) throw notFound(namespaces, namespace)
  if (itemOf(entry).object().metadata.deletionTimestamp === undefined) return
  throw forbidden(
    kind,
    object.metadata.name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  )
}
