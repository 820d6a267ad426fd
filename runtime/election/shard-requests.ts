import { type Lease, leases } from '../../generated/apis/coordination/v1.ts'
import type { Client, Resource } from '../client/client.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { releasedSpec, takenSpec } from './lease-record.ts'
import {
  divisionNote,
  groupSelector,
  leaseLabels,
  memberLeaseName,
  shardLeaseName,
} from './shard-leases.ts'

/** Whose leases are asked for. */
export interface ShardRequestsOptions {
  readonly client: Client
  readonly namespace: string
  readonly group: string
  readonly identity: string
  readonly division: string
  readonly leaseMs: number
}

/** What a member asks of the server. Each write names the state that it was decided on: of two members one writes. */
export class ShardRequests {
  readonly #options: ShardRequestsOptions
  readonly #leases: Resource<Lease>

  constructor(options: ShardRequestsOptions) {
    this.#options = options
    this.#leases = options.client.resource(leases).in(options.namespace)
  }

  /** All leases of the group, as of one moment. */
  async list(signal: AbortSignal): Promise<readonly Stored<Lease>[]> {
    const labelSelector = groupSelector(this.#options.group)
    return (await this.#leases.listAll({ labelSelector }, signal)).items
  }

  /** Makes the lease that says how the group divides its work, unless another member just did. */
  async found(signal: AbortSignal): Promise<void> {
    const { group, division } = this.#options
    const annotations = divisionNote(division)
    const metadata = { name: group, labels: leaseLabels(group, 'group'), annotations }
    await unlessLate(this.#leases.create({ metadata, spec: {} }, {}, signal))
  }

  /** The lease of a shard as this member's; undefined if another was faster. */
  take(
    shard: number,
    lease: Stored<Lease> | undefined,
    now: number,
    signal: AbortSignal,
  ): Promise<Stored<Lease> | undefined> {
    const { group, identity, leaseMs } = this.#options
    const spec = takenSpec(identity, leaseMs, now, lease?.spec)
    if (lease !== undefined) return unlessLate(this.#leases.update({ ...lease, spec }, {}, signal))
    const metadata = { name: shardLeaseName(group, shard), labels: leaseLabels(group, 'shard') }
    return unlessLate(this.#leases.create({ metadata, spec }, {}, signal))
  }

  /** Gives the lease of a shard back. */
  async release(lease: Stored<Lease>, now: number, signal: AbortSignal): Promise<void> {
    const spec = releasedSpec(lease.spec ?? {}, now)
    await unlessLate(this.#leases.update({ ...lease, spec }, {}, signal))
  }

  /** Deletes the lease of a member, if it still is as it was seen: with it go the member's shards. */
  async expel(member: Stored<Lease>, signal: AbortSignal): Promise<void> {
    await unlessLate(this.#leases.delete(member, { unchanged: true }, signal))
  }

  /** Deletes this member's own lease, once it is released. */
  async leave(signal: AbortSignal): Promise<void> {
    const { group, identity } = this.#options
    const own = await this.#leases.find(memberLeaseName(group, identity), signal)
    if (own !== undefined && !own.spec?.holderIdentity) await this.expel(own, signal)
  }
}

/** What a write gives; undefined if another member wrote first. */
async function unlessLate<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write
  } catch (error) {
    const late = ['AlreadyExists', 'Conflict', 'NotFound'] as const
    if (late.some((reason) => isStatus(error, reason))) return undefined
    throw error
  }
}
