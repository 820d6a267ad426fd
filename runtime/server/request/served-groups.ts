import type { RemoteServerMap } from '../../aggregator/aggregator.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { compareVersions } from '../../kernel/meta/version-order.ts'
import type { RouteTable } from './resource-path.ts'

/** A group with its served versions, the preferred one first. */
export interface ServedGroup {
  readonly group: string
  readonly versions: readonly string[]
}

/** The groups that have a served resource, highest priority first and then by name. The core group has the empty name. */
export function servedGroups(
  scheme: Scheme,
  routes: RouteTable,
  remote?: RemoteServerMap,
): readonly ServedGroup[] {
  if (remote !== undefined) return joinedGroups(scheme, routes, remote)
  return [...scheme.groups]
    .sort((a, b) => b.priority - a.priority || (a.group < b.group ? -1 : 1))
    .map(({ group, versions }) => ({
      group,
      versions: versions.filter((version) => routes.has(versionPath(group, version))),
    }))
    .filter(({ versions }) => versions.length > 0)
}

/** A version, and what decides where it comes in the list. */
interface RankedVersion {
  readonly version: string
  readonly rank: number
}

/** What a version of a definition has, as the object of its group version says. */
const unlistedRank = 100

/**
 * The groups of this server and of others in one list: by their highest priority, then by name, and in each the versions by rank, then by
 * version.
 */
function joinedGroups(
  scheme: Scheme,
  routes: RouteTable,
  remote: RemoteServerMap,
): readonly ServedGroup[] {
  const groups = new Map<string, { priority: number; readonly versions: RankedVersion[] }>()
  const add = (group: string, priority: number, version: string, rank: number): void => {
    const known = groups.get(group) ?? { priority, versions: [] }
    known.priority = Math.max(known.priority, priority)
    known.versions.push({ version, rank })
    groups.set(group, known)
  }
  for (const { group, priority, versions, ranks = {} } of scheme.groups) {
    for (const version of versions) {
      const isServed = routes.has(versionPath(group, version))
      if (isServed) add(group, priority, version, ranks[version] ?? unlistedRank)
    }
  }
  for (const { version: one } of remote.values()) {
    add(one.group, one.groupPriority, one.version, one.versionPriority)
  }
  return [...groups]
    .sort(([a, left], [b, right]) => right.priority - left.priority || (a < b ? -1 : 1))
    .map(([group, { versions }]) => ({ group, versions: inOrder(versions) }))
}

function inOrder(versions: readonly RankedVersion[]): readonly string[] {
  return [...versions]
    .sort((a, b) => b.rank - a.rank || compareVersions(a.version, b.version))
    .map(({ version }) => version)
}

/** `api/v1` or `apis/<group>/<version>`. */
export function versionPath(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}
