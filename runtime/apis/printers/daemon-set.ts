/** What lists of DaemonSets and ControllerRevisions show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { DaemonSet } from '../apps/daemon-set.ts'

export function daemonDesired(object: ApiObject): number {
  return count(object, 'desiredNumberScheduled')
}

export function daemonCurrent(object: ApiObject): number {
  return count(object, 'currentNumberScheduled')
}

export function daemonReady(object: ApiObject): number {
  return count(object, 'numberReady')
}

export function daemonUpdated(object: ApiObject): number {
  return count(object, 'updatedNumberScheduled')
}

export function daemonAvailable(object: ApiObject): number {
  return count(object, 'numberAvailable')
}

function count(object: ApiObject, field: string): number {
  return (object as DaemonSet).status?.[field] ?? 0
}

/** The controller that the revision is of: `daemonset.apps/web`. */
export function revisionController({ metadata }: ApiObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return '<none>'
  const [group, version] = owner.apiVersion.split('/')
  const kind = owner.kind.toLowerCase()
  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`
}

export function revisionNumber(object: ApiObject): number {
  return (object as ApiObject & { readonly revision?: number }).revision ?? 0
}
