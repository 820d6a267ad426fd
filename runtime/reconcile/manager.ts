import type { Client } from '../client/client.ts'
import {
  createLeaderElection,
  createShardGroup,
  type LeaderElection,
  type LeaderElectionOptions,
  type ShardGroup,
  type ShardReport,
  type Term,
} from '../election/election.ts'
import { aborted, allowListeners } from '../kernel/async/abort-signal.ts'
import {
  type Clock,
  keepAlive,
  type Random,
  systemClock,
  systemRandom,
} from '../kernel/async/clock.ts'
import { deferred } from '../kernel/async/deferred.ts'
import { type Log, type Metrics, silentLog, type Tracer } from '../observe/observe.ts'
import type { AnyController } from './controller/controller.ts'
import type { KeyController } from './controller/key-controller.ts'
import type { QueueOptions } from './queue/queue.ts'
import { ControllerSet } from './running/controller-set.ts'
import type { ControllerStats } from './running/controller-stats.ts'
import { divisionName, keyShards, type ShardingSettings, shardText } from './running/key-shards.ts'
import { createRunIds } from './running/run-ids.ts'
import type { ControllerReport } from './running/runner.ts'

/** Which lease a manager needs to work, and how long it holds: see `createLeaderElection`. */
export type LeaderElectionSettings = Omit<
  LeaderElectionOptions,
  'client' | 'clock' | 'log' | 'metrics' | 'random'
>

/** What a manager runs, and with what. */
export interface ManagerOptions {
  readonly client: Client
  readonly controllers: readonly (AnyController | KeyController)[]
  /** Look at one namespace only. Default: all of them. */
  readonly namespace?: string
  /** Default: nothing is logged. */
  readonly log?: Log
  readonly clock?: Clock
  readonly random?: Random
  readonly queue?: Omit<QueueOptions, 'clock' | 'metrics' | 'name'>
  /** Where queues are counted, and which controllers run. Default: nowhere. */
  readonly metrics?: Metrics
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

/**
 * Runs controllers that share one client and one cache of each kind.
 *
 * @example
 * const manager = createManager({ client, controllers: [websiteController], log })
 * await manager.run(stop.signal)
 */
export interface Manager {
  /**
   * Resolves when every cache has its first list and the controllers work, or wait for their lease. Rejects once if a watched kind is not served, or may
   * not be listed by this user, before that: the error says which. `run` goes on trying, and the controllers begin when it may.
   */
  readonly ready: Promise<void>
  /** True while the controllers work: with leader election, while this process holds the lease; with sharding, while it is a member. */
  readonly isLeader: boolean
  /** Runs until `signal` aborts and the runs under way are through. Runs once. */
  run(signal: AbortSignal): Promise<void>
  /** What each controller has done so far, by name. */
  stats(): Readonly<Record<string, ControllerStats>>
  /** What each controller does, and where its keys stand: for people who look for the reason of something. */
  report(): ManagerReport
}

/** What a manager does now. */
export interface ManagerReport {
  /** True while its controllers work. */
  readonly working: boolean
  /** True once every cache has its first list. */
  readonly synced: boolean
  /** The lease that it needs to work; absent where it needs none. */
  readonly lease?: LeaseReport
  /** The group that it shares keys with, and who has which; absent where it shares none. */
  readonly sharding?: ShardReport
  readonly controllers: Readonly<Record<string, ControllerReport>>
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

/**
 * A manager for the given controllers. Nothing is sent before `run`.
 *
 * @throws RangeError for settings of leases or shards that cannot be.
 */
export function createManager(options: ManagerOptions): Manager {
  return new ControllerManager(options)
}

class ControllerManager implements Manager {
  readonly #options: ManagerOptions
  readonly #controllers: ControllerSet
  readonly #ready = deferred()
  readonly #election: LeaderElection | undefined
  readonly #group: ShardGroup | undefined
  #working = false
  #synced = false

  constructor(options: ManagerOptions) {
    this.#options = options
    const { leaderElection, sharding } = options
    if (leaderElection !== undefined && sharding !== undefined) {
      throw new RangeError('manager: leaderElection lets one process work, sharding all: give one')
    }
    const surroundings = surroundingsOf(options)
    this.#election = leaderElection && createLeaderElection({ ...leaderElection, ...surroundings })
    this.#group = sharding && groupOf(sharding, surroundings, options)
    this.#controllers = this.#createControllers()
    this.#ready.promise.catch(() => {})
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get isLeader(): boolean {
    return this.#working
  }

  async run(signal: AbortSignal): Promise<void> {
    const release = this.#options.keepAlive === false ? () => {} : keepAlive()
    const following = new AbortController()
    for (const one of [signal, following.signal]) allowListeners(one)
    const followed = this.#controllers.follow(following.signal)
    try {
      const synced = this.#controllers.synced().then(() => this.#seeSynced())
      await Promise.race([synced, aborted(signal)])
      this.#ready.resolve()
      await this.#workInTurn(signal)
    } finally {
      this.#controllers.close()
      following.abort()
      await followed
      release()
    }
  }

  report(): ManagerReport {
    const reports = [...this.#controllers.runners].map(
      ([name, runner]) => [name, runner.report()] as const,
    )
    const lease = leaseReport(this.#options, this.#election)
    return {
      working: this.#working,
      synced: this.#synced,
      ...(lease && { lease }),
      ...(this.#group && { sharding: this.#group.report() }),
      controllers: Object.fromEntries(reports),
    }
  }

  stats(): Readonly<Record<string, ControllerStats>> {
    const { runners } = this.#controllers
    return Object.fromEntries([...runners].map(([name, runner]) => [name, runner.stats()] as const))
  }

  #seeSynced(): void {
    this.#synced = true
  }

  #createControllers(): ControllerSet {
    const { drainMs = 10_000, keepAlive: alive = true, name = 'controller-manager' } = this.#options
    const { sharding } = this.#options
    const group = this.#group
    const { random, clock, log } = surroundingsOf(this.#options)
    return new ControllerSet({
      ...this.#options,
      ...{ random, clock, log, drainMs, keepAlive: alive, program: name },
      nextRun: createRunIds(random),
      onRefused: (error) => this.#ready.reject(error),
      ...(group && sharding && { shardsOf: (name) => keyShards(group, sharding, name) }),
    })
  }

  /** Works while it is this process's turn. */
  #workInTurn(signal: AbortSignal): Promise<void> {
    const { sharding } = this.#options
    if (this.#election !== undefined) {
      return this.#election.run(signal, (term) => this.#work(signal, term))
    }
    if (this.#group === undefined || sharding === undefined) return this.#work(signal)
    return this.#group.run(signal, {
      run: (until, term) => this.#work(until, term),
      gained: (isGained) =>
        this.#controllers.wakeAll((item, name) => isGained(shardText(sharding, item, name))),
    })
  }

  /** Runs every controller until `signal` aborts or the term is lost. */
  async #work(signal: AbortSignal, term?: Term): Promise<void> {
    this.#working = true
    const lose = (): void => {
      this.#working = false
    }
    term?.lost.addEventListener('abort', lose, { once: true })
    await this.#controllers.work(signal, term)
    lose()
  }
}

/** What leases and controllers work with. */
function surroundingsOf({ client, clock, log, random, metrics }: ManagerOptions) {
  return {
    client,
    clock: clock ?? systemClock,
    log: log ?? silentLog,
    random: random ?? systemRandom,
    ...(metrics && { metrics }),
  }
}

function groupOf(
  { by, ...settings }: ShardingSettings,
  surroundings: ReturnType<typeof surroundingsOf>,
  { drainMs }: ManagerOptions,
): ShardGroup {
  const division = divisionName(by === undefined ? settings : { ...settings, by })
  const drain = drainMs === undefined ? {} : { drainMs }
  return createShardGroup({ ...settings, ...surroundings, ...drain, by: division })
}

function leaseReport(
  { leaderElection }: ManagerOptions,
  election: LeaderElection | undefined,
): LeaseReport | undefined {
  if (leaderElection === undefined || election === undefined) return undefined
  const { identity, leader, term } = election
  return {
    name: leaderElection.name,
    identity,
    ...(leader !== undefined && { holder: leader }),
    ...(term !== undefined && { token: term.token }),
  }
}
