import type { Key } from '../../client/client.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import type { ApiObject, OwnerReferenceLike, Stored } from '../../kernel/meta/object.ts'

/** The owner reference by which an object says that `owner` is its controller: it goes when its owner does. */
export function ownedBy({ apiVersion, kind, metadata }: Stored<ApiObject>): OwnerReferenceLike {
  const { name, uid } = metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** The key of the object's controller, if that is of the given kind. */
export function ownerKey(kind: Kind, object: ApiObject): Key | undefined {
  const owner = controllerOf(object)
  if (owner === undefined || owner.kind !== kind.kind) return undefined
  if (groupOf(owner.apiVersion) !== kind.group) return undefined
  const { namespace } = object.metadata
  return kind.scope === 'Cluster' || namespace === undefined
    ? { name: owner.name }
    : { namespace, name: owner.name }
}

/** The group part of an apiVersion; empty for the core group. */
function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}
