import type { ApiObject } from '../../kernel/meta/object.ts'

/** The controller that the revision is of: `daemonset.apps/web`. */
export function revisionController({ metadata }: ApiObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return '<none>'
  const [group, version] = owner.apiVersion.split('/')
  const kind = owner.kind.toLowerCase()
  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`
}
