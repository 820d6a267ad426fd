import type { Lease } from '../../generated/apis/coordination/v1.ts'
import { platform } from '../../generated/platform.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { hashOf } from './shard-hash.ts'

/** The label of all leases of a group, with its name. */
const groupLabel = `${platform.domain}/shard-group`
/** The label that says what a lease of a group is for. */
const roleLabel = `${platform.domain}/shard-role`
/** The annotation that says how a group divides its work. */
const divisionAnnotation = `${platform.domain}/shard-division`

/** What a lease of a group is for: how the group divides its work, that a member is there, who has a shard. */
export type LeaseRole = 'group' | 'member' | 'shard'

/** What selects all leases of a group. */
export function groupSelector(group: string): string {
  return `${groupLabel}=${group}`
}

/** The labels of a lease of a group. */
export function leaseLabels(group: string, role: LeaseRole): Readonly<Record<string, string>> {
  return { [groupLabel]: group, [roleLabel]: role }
}

/** What a lease is for; undefined if it does not say. */
export function roleOf({ metadata: { labels } }: Stored<Lease>): string | undefined {
  return labels?.[roleLabel]
}

/** The annotations of the lease of a group. */
export function divisionOf({ metadata: { annotations } }: Stored<Lease>): string | undefined {
  return annotations?.[divisionAnnotation]
}

/** The annotations of the lease of a group that divides its work so. */
export function divisionNote(division: string): Readonly<Record<string, string>> {
  return { [divisionAnnotation]: division }
}

/** The name of the lease of a shard. */
export function shardLeaseName(group: string, shard: number): string {
  return `${group}-shard-${shard}`
}

/** The name of the lease of a member: its identity, where that can be part of a name. */
export function memberLeaseName(group: string, identity: string): string {
  const isName = /^[a-z0-9]([a-z0-9.-]{0,98}[a-z0-9])?$/.test(identity)
  return `${group}-member-${isName ? identity : hashOf(identity).toString(16)}`
}

/**
 * @throws RangeError for a name that cannot be the value of a label.
 */
export function checkGroupName(name: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/.test(name)) return name
  throw new RangeError(
    `sharding: name ${JSON.stringify(name)} must be 1 to 50 lower-case letters, digits and hyphens between them: leases are named after it`,
  )
}
