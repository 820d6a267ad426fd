import type { Lease } from '../../generated/apis/coordination/v1.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { isFree, type ObservedLease, observe } from './lease-record.ts'
import { memberOf } from './shard-hash.ts'
import { divisionOf, roleOf, shardLeaseName } from './shard-leases.ts'

/** One shard, as a member sees it. */
export interface ShardState {
  readonly shard: number
  /** Its lease; undefined if no member ever took it. */
  readonly lease: Stored<Lease> | undefined
  /** The member that has it; undefined if none has. */
  readonly holder: string | undefined
  /** The member that it belongs to. */
  readonly owner: string | undefined
}

/** What the leases of a group say. */
export interface ShardView {
  /** How the group divides its work; undefined before its first member has said so. */
  readonly division: string | undefined
  /** The members that renew their leases, by name. */
  readonly members: readonly string[]
  /** Leases of members that have renewed them too long ago. */
  readonly expired: readonly Stored<Lease>[]
  readonly shards: readonly ShardState[]
}

/** Whose view it is, and of what. */
export interface ShardViewOptions {
  readonly clock: Clock
  readonly leaseMs: number
  readonly group: string
  readonly shards: number
  /** The member that looks, which is one whatever its lease says. */
  readonly identity: string
}

/** The leases of a group over time, by the clock of one member. */
export class ShardViews {
  readonly #options: ShardViewOptions
  readonly #observed = new Map<string, ObservedLease>()

  constructor(options: ShardViewOptions) {
    this.#options = options
  }

  /** What a list of leases says. */
  look(leases: readonly Stored<Lease>[]): ShardView {
    const { group, shards, identity } = this.#options
    const byName = new Map(leases.map((lease) => [lease.metadata.name, lease] as const))
    for (const name of this.#observed.keys()) if (!byName.has(name)) this.#observed.delete(name)
    const others = leases.filter((one) => roleOf(one) === 'member' && holderOf(one) !== identity)
    const expired = others.filter((lease) => this.#isExpired(lease))
    const alive = others.filter((lease) => !expired.includes(lease))
    const members = [identity, ...alive.map(nameOf)].sort()
    const present = new Set([identity, ...others.map(nameOf)])
    const found = byName.get(group)
    const stateOf = (_: unknown, shard: number): ShardState => {
      const lease = byName.get(shardLeaseName(group, shard))
      const holder = lease && holderOf(lease)
      const isHeld = holder !== undefined && present.has(holder)
      return { shard, lease, holder: isHeld ? holder : undefined, owner: memberOf(shard, members) }
    }
    return {
      ...{ division: found && divisionOf(found), members, expired },
      shards: Array.from({ length: shards }, stateOf),
    }
  }

  #isExpired(lease: Stored<Lease>): boolean {
    const { clock, leaseMs } = this.#options
    const { name } = lease.metadata
    const observed = observe(lease, this.#observed.get(name), clock)
    this.#observed.set(name, observed)
    return isFree(observed, leaseMs, clock)
  }
}

function holderOf({ spec }: Stored<Lease>): string | undefined {
  return spec?.holderIdentity || undefined
}

/** A member by its lease: one that left has no name. */
function nameOf(lease: Stored<Lease>): string {
  return holderOf(lease) ?? ''
}
