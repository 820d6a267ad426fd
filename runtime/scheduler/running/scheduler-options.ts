import type { TopologySpreadConstraint } from '../../../generated/apis/core/v1/scheduling.ts'
import type { Client } from '../../client/client.ts'
import type { LeaderElectionOptions } from '../../election/election.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Log, Metrics } from '../../observe/observe.ts'

/** What users tune. The defaults are those of the daemon's flags: see `usualSettings`. */
export interface SchedulerSettings {
  /** The pods that it finds nodes for: those whose `schedulerName` is one of these. */
  readonly names?: readonly string[]
  /** The search ends when so many of the nodes will do, in percent. 0: fewer of them the more nodes there are. */
  readonly percentageOfNodes?: number
  /** How pods of a service or a controller are spread that say nothing of it. */
  readonly defaultSpread?: readonly TopologySpreadConstraint[]
  /** Milliseconds after the first failure, doubled with each one up to the most. */
  readonly backoffMs?: number
  readonly mostBackoffMs?: number
  /** Milliseconds after which a pod is tried again though nothing happened. */
  readonly flushMs?: number
}

/** What a scheduler works with. */
export interface SchedulerOptions extends SchedulerSettings {
  /** Follows what decides, and writes. */
  readonly client: Client
  /** The names of the server. */
  readonly platform: Platform
  readonly clock: Clock
  readonly log: Log
  /** Default: of the machine. */
  readonly random?: Random
  readonly metrics?: Metrics
  /** Default: this one works whatever others do. */
  readonly leaderElection?: Omit<LeaderElectionOptions, 'client' | 'clock' | 'log' | 'metrics'> & {
    readonly client?: Client
  }
  /** Whether the process stays alive while it runs. Default true. */
  readonly keepAlive?: boolean
}
