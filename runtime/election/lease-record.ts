import type { Lease, LeaseSpec } from '../../generated/apis/coordination/v1.ts'
import { type Clock, microTimestamp } from '../kernel/async/clock.ts'
import type { Stored } from '../kernel/meta/object.ts'

/** A lease as a candidate saw it, and since when it has not changed. */
export interface ObservedLease {
  readonly lease: Stored<Lease>
  /** The candidate's own monotonic clock: another's is never compared with it. */
  readonly since: number
}

/** What is known of a lease after another look: the first look at an unchanged one counts. */
export function observe(
  lease: Stored<Lease>,
  before: ObservedLease | undefined,
  clock: Clock,
): ObservedLease {
  const { resourceVersion, uid } = lease.metadata
  const same =
    before?.lease.metadata.uid === uid && before.lease.metadata.resourceVersion === resourceVersion
  return same ? before : { lease, since: clock.monotonic() }
}

/** True if the lease has no holder, or its holder has not renewed it for as long as it says. */
export function isFree({ lease, since }: ObservedLease, leaseMs: number, clock: Clock): boolean {
  const { holderIdentity = '', leaseDurationSeconds } = lease.spec ?? {}
  if (holderIdentity === '') return true
  const held = leaseDurationSeconds === undefined ? leaseMs : leaseDurationSeconds * 1000
  return clock.monotonic() - since >= held
}

/** The spec of a lease that a candidate takes: each taking has a greater count. */
export function takenSpec(
  identity: string,
  leaseMs: number,
  now: number,
  before?: LeaseSpec,
): LeaseSpec {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: leaseMs / 1000,
    acquireTime: microTimestamp(now),
    renewTime: microTimestamp(now),
    leaseTransitions: before === undefined ? 0 : (before.leaseTransitions ?? 0) + 1,
  }
}

/** The spec of a lease that its holder gives back: the next candidate that looks takes it. */
export function releasedSpec({ leaseTransitions = 0 }: LeaseSpec, now: number): LeaseSpec {
  return {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: microTimestamp(now),
    renewTime: microTimestamp(now),
    leaseTransitions,
  }
}
