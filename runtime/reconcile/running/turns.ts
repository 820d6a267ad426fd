import type { Client } from '../../client/client.ts'
import {
  createLeaderElection,
  createShardGroup,
  type LeaderElection,
  type LeaderElectionOptions,
  type ShardGroup,
  type ShardReport,
  type Term,
} from '../../election/election.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { Log, Metrics } from '../../observe/observe.ts'
import type { Cluster } from '../controller/cluster.ts'
import {
  divisionName,
  type KeyShards,
  keyShards,
  type ShardingSettings,
  shardText,
} from './key-shards.ts'

/** Which lease a manager needs to work, and how long it holds: see `createLeaderElection`. */
export type LeaderElectionSettings = Omit<
  LeaderElectionOptions,
  'client' | 'clock' | 'log' | 'metrics' | 'random' | 'labels'
> & {
  /** What the lease is held with, so that it waits for no other request. Default: the client of the manager. */
  readonly client?: Client
}

/** A lease as one candidate sees it. */
export interface LeaseReport {
  readonly name: string
  /** This candidate. */
  readonly identity: string
  /** The holder as it was last seen; absent if there was none. */
  readonly holder?: string
  /** The token of the term that this candidate has. */
  readonly token?: number
}

/** When a manager works, and where that is agreed on. */
export interface TurnsOptions {
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  readonly metrics?: Metrics
  readonly leaderElection?: LeaderElectionSettings
  readonly sharding?: ShardingSettings
  readonly drainMs: number
}

/** What is done in turn. */
export interface TurnWork {
  run(signal: AbortSignal, term?: Term): Promise<void>
  /** Hears of keys that are this process's from now on. */
  gained(accepts: (item: string, controller: string, cluster: Cluster) => boolean): void
}

/** When a manager works, and on which keys: always and on all, while it leads, or as a member of a group. */
export class Turns {
  readonly #leaseName: string | undefined
  readonly #election: LeaderElection | undefined
  readonly #group: ShardGroup | undefined
  readonly #sharding: ShardingSettings | undefined

  /**
   * @throws RangeError for settings that cannot be.
   */
  constructor({ leaderElection, sharding, drainMs, ...surroundings }: TurnsOptions) {
    if (leaderElection !== undefined && sharding !== undefined) {
      throw new RangeError('manager: leaderElection lets one process work, sharding all: give one')
    }
    this.#leaseName = leaderElection?.name
    this.#sharding = sharding
    this.#election = leaderElection && createLeaderElection({ ...surroundings, ...leaderElection })
    if (sharding === undefined) return
    const { by: _, ...settings } = sharding
    const by = divisionName(sharding)
    this.#group = createShardGroup({ ...settings, ...surroundings, drainMs, by })
  }

  /** Works until `signal` aborts, whenever it is this process's turn. */
  run(signal: AbortSignal, work: TurnWork): Promise<void> {
    const sharding = this.#sharding
    if (this.#election !== undefined) {
      return this.#election.run(signal, (term) => work.run(signal, term))
    }
    if (this.#group === undefined || sharding === undefined) return work.run(signal)
    return this.#group.run(signal, {
      run: (until, term) => work.run(until, term),
      gained: (isGained) =>
        work.gained((item, controller, cluster) =>
          isGained(shardText(sharding, item, controller, cluster)),
        ),
    })
  }

  /** The keys of a controller in a cluster that are this process's; undefined where all of them are. */
  shardsOf(cluster: Cluster, controller: string): KeyShards | undefined {
    if (this.#group === undefined || this.#sharding === undefined) return undefined
    return keyShards(this.#group, this.#sharding, controller, cluster)
  }

  report(): { readonly lease?: LeaseReport; readonly sharding?: ShardReport } {
    return {
      ...(this.#election && { lease: this.#leaseReport(this.#election) }),
      ...(this.#group && { sharding: this.#group.report() }),
    }
  }

  #leaseReport({ identity, leader, term }: LeaderElection): LeaseReport {
    return {
      name: this.#leaseName ?? '',
      identity,
      ...(leader !== undefined && { holder: leader }),
      ...(term !== undefined && { token: term.token }),
    }
  }
}
