/**
 * Election: which of several processes does the work, by leases at the server.
 *
 *  1. Of all candidates for a lease at most one has a term at a time, and each term has a greater token than those before it.
 *  2. A candidate compares no clock with another's: how long a lease has not changed is what it has seen itself.
 *  3. A term that was not renewed in time is over, also where the process slept through its end: `Term.assertHeld` says so before
 *     each write.
 *  4. A lease is released once the work of its term has ended, and the next candidate need not wait.
 */
export {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
} from './leader-election.ts'
export type { LeaseTiming } from './lease-timing.ts'
export type { Term } from './term.ts'
