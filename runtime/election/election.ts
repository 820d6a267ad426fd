/**
 * Election: which of several processes does the work, by leases at the server.
 *
 *  1. Of all candidates for a lease at most one has a term at a time, and each term has a greater token than those before it.
 *  2. A candidate compares no clock with another's: how long a lease has not changed is what it has seen itself.
 *  3. A term that was not renewed in time is over, also where the process slept through its end: `Term.assertHeld` says so before
 *     each write.
 *  4. A lease is released once the work of its term has ended, and the next candidate need not wait.
 *  5. Work that is shared is divided into shards, each with a lease that one member at a time has. A member renews one lease, its own; a
 *     shard is free when it was given back, or the lease of its member is gone, which another deletes only after it has run out.
 */
export type { ShardEntry } from './held-shard.ts'
export {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
} from './leader-election.ts'
export { type LeaseTiming, leaseTiming } from './lease-timing.ts'
export {
  createShardGroup,
  type ShardGroup,
  type ShardGroupOptions,
  type ShardHolder,
  type ShardReport,
  type ShardWork,
} from './shard-group.ts'
export { hashOf, memberOf, shardOf } from './shard-hash.ts'
export type { Term } from './term.ts'
