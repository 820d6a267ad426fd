/** What managers are told, and what they tell. */
import type { Client } from '../../client/client.ts'
import type { ShardReport } from '../../election/election.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Log, Metrics, Tracer } from '../../observe/observe.ts'
import type { Cluster, Clusters } from '../controller/cluster.ts'
import type { AnyController } from '../controller/controller.ts'
import type { ControllerGraph } from '../controller/graph-contract.ts'
import type { KeyController } from '../controller/key-controller.ts'
import type { QueueOptions } from '../queue/queue.ts'
import type { ControllerStats } from './controller-stats.ts'
import type { ShardingSettings } from './key-shards.ts'
import type { ControllerReport } from './runner.ts'
import type { LeaderElectionSettings, LeaseReport } from './turns.ts'

/** What a manager runs, and with what. */
export interface ManagerOptions extends RunSettings {
  readonly client: Client
}

/** What managers of one cluster and of several have in common. */
export interface RunSettings {
  readonly controllers: readonly (AnyController | KeyController)[]
  /** Look at one namespace only. Default: all of them. */
  readonly namespace?: string
  /**
   * What caches keep of an object where its watch does not say. `withoutManagedFields` leaves out what is often most of it; then a cause does
   * not say who changed the object, and `ensure` has to write to find out whether it must. Default: all of it.
   */
  readonly defaultTransform?: (object: Stored<ApiObject>) => Stored<ApiObject>
  /** Default: nothing is logged. */
  readonly log?: Log
  readonly clock?: Clock
  readonly random?: Random
  readonly queue?: Omit<QueueOptions, 'clock' | 'metrics' | 'name'>
  /** Where queues are counted, and which controllers run. Default: nowhere. */
  readonly metrics?: Metrics
  /**
   * What a controller reads and writes with, by its name, where controllers act as different users. Default: the client of the manager,
   * which fills the caches in any case.
   */
  readonly clientOf?: (controller: string) => Client
  /** Milliseconds between the beginnings of two controllers, in their order. Default 0. */
  readonly startIntervalMs?: number
  /** Where each run is a span, with what woke it. Default: nowhere. */
  readonly tracer?: Tracer
  /** The program that runs the controllers, as metrics name it. Default `controller-manager`. */
  readonly name?: string
  /**
   * Of all processes that name the same lease only one runs its controllers; the others wait with filled caches. Default: this one
   * runs them, whatever others do.
   */
  readonly leaderElection?: LeaderElectionSettings
  /**
   * All processes that name the same group share the keys of their controllers: each key is worked on by one of them. In place of
   * `leaderElection`. Default: this process works on all keys.
   */
  readonly sharding?: ShardingSettings
  /** Milliseconds that runs under way may go on after the end was asked for. Default 10,000. */
  readonly drainMs?: number
  /** Whether the process stays alive while the manager runs. Default true. */
  readonly keepAlive?: boolean
}

/** What a manager of several clusters runs, and with what. */
export interface ClusterManagerOptions extends RunSettings {
  /** The clusters in which its controllers work: see `createClusters`. */
  readonly clusters: Clusters
  /** The cluster in which its leases stand: needed for `leaderElection` and `sharding`. */
  readonly home?: Cluster
  /** Milliseconds after which `ready` waits no longer for a cluster that does not answer, if another one does. Default 10,000. */
  readonly patienceMs?: number
}

/**
 * Runs controllers that share one client and one cache of each kind; with several clusters, one of each in each cluster.
 *
 * @example
 * const manager = createManager({ client, controllers: [websiteController], log })
 * await manager.run(stop.signal)
 */
export interface Manager {
  /**
   * Resolves when every cache has its first list and the controllers work, or wait for their lease. Rejects once if a watched kind is not served, or may
   * not be listed by this user, before that: the error says which. `run` goes on trying, and the controllers begin when it may. With several
   * clusters controllers begin in each one as soon as its caches are filled; one that does not answer is waited for no longer than `patienceMs`.
   */
  readonly ready: Promise<void>
  /** True while the controllers work: with leader election, while this process holds the lease; with sharding, while it is a member. */
  readonly isLeader: boolean
  /** Runs until `signal` aborts and the runs under way are through. Runs once. */
  run(signal: AbortSignal): Promise<void>
  /** What each controller has done so far, by name: `website`, with several clusters `website@east`. */
  stats(): Readonly<Record<string, ControllerStats>>
  /** What each controller does, and where its keys stand: for people who look for the reason of something. */
  report(): ManagerReport
  /** Which controller wakes which, as they declare it. */
  graph(): ControllerGraph
}

/** How one cluster of several does. */
export interface ClusterReport {
  /** True once every cache of it has its first list. */
  readonly synced: boolean
  /** True while controllers work in it. */
  readonly working: boolean
  /** Why its caches are not filled, if it said so. */
  readonly problem?: string
}

/** What a manager does now. */
export interface ManagerReport {
  /** True while its controllers work. */
  readonly working: boolean
  /** True once every cache has its first list; with several clusters once `ready` is resolved. */
  readonly synced: boolean
  /** The clusters, by name; absent where there is but one. */
  readonly clusters?: Readonly<Record<string, ClusterReport>>
  /** The lease that it needs to work; absent where it needs none. */
  readonly lease?: LeaseReport
  /** The group that it shares keys with, and who has which; absent where it shares none. */
  readonly sharding?: ShardReport
  readonly controllers: Readonly<Record<string, ControllerReport>>
}
