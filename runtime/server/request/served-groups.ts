import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { RouteTable } from './resource-path.ts'

/** A group with its served versions, the preferred one first. */
export interface ServedGroup {
  readonly group: string
  readonly versions: readonly string[]
}

/** The groups that have a served resource, highest priority first and then by name. The core group has the empty name. */
export function servedGroups(scheme: Scheme, routes: RouteTable): readonly ServedGroup[] {
  return [...scheme.groups]
    .sort((a, b) => b.priority - a.priority || (a.group < b.group ? -1 : 1))
    .map(({ group, versions }) => ({
      group,
      versions: versions.filter((version) => routes.has(versionPath(group, version))),
    }))
    .filter(({ versions }) => versions.length > 0)
}

/** `api/v1` or `apis/<group>/<version>`. */
export function versionPath(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}
