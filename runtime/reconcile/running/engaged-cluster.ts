import type { Term } from '../../election/election.ts'
import { allowListeners, onAbort } from '../../kernel/async/abort-signal.ts'
import { deferred } from '../../kernel/async/deferred.ts'
import { type Gauge, logWith } from '../../observe/observe.ts'
import type { Cluster } from '../controller/cluster.ts'
import { ControllerSet, titleIn } from './controller-set.ts'
import type { ControllerStats } from './controller-stats.ts'
import type { KeyShards } from './key-shards.ts'
import type { ClusterManagerOptions, ClusterReport } from './manager-contract.ts'
import type { ControllerReport } from './runner.ts'
import type { Surroundings } from './surroundings.ts'

/** The time in which controllers work, in every cluster. */
export interface Shift {
  readonly signal: AbortSignal
  readonly term: Term | undefined
}

/** What a cluster is worked with. */
export interface EngagedClusterOptions {
  readonly options: ClusterManagerOptions
  readonly surroundings: Surroundings
  readonly cluster: Cluster
  /** Aborts when the cluster is no longer the manager's. */
  readonly gone: AbortSignal
  readonly nextRun: () => string
  readonly peer: (cluster: Cluster) => ControllerSet | undefined
  readonly shardsOf: (controller: string) => KeyShards | undefined
}

/** One of several clusters, while a manager works with it: what fails in it fails in no other. */
export class EngagedCluster {
  readonly cluster: Cluster
  readonly controllers: ControllerSet
  /** Resolves when every cache of it has its first list. */
  readonly synced: Promise<void>
  readonly #gone: AbortSignal
  readonly #following = new AbortController()
  readonly #ended = deferred()
  readonly #isSynced: Gauge | undefined
  #hasSynced = false
  #problem: string | undefined
  #work: Promise<void> | undefined

  constructor(given: EngagedClusterOptions) {
    const { options, surroundings, cluster, gone, nextRun, peer, shardsOf } = given
    this.cluster = cluster
    this.#gone = gone
    this.#isSynced = options.metrics?.gauge('cluster_caches_synced')
    this.#isSynced?.set([cluster.name], 0)
    this.controllers = new ControllerSet({
      ...{ ...options, ...surroundings, cluster, nextRun, peer, shardsOf },
      log: logWith(surroundings.log, { cluster: cluster.name }),
      onRefused: ({ message }) => {
        this.#problem = message
      },
    })
    this.synced = this.controllers.synced().then(() => {
      this.#hasSynced = true
      this.#problem = undefined
      this.#isSynced?.set([cluster.name], 1)
    })
  }

  /** Resolves when nothing is done with it any more. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Fills its caches, until `gone` aborts or it is ended. */
  follow(): void {
    allowListeners(this.#following.signal)
    const followed = this.controllers.follow(this.#following.signal)
    onAbort(this.#gone, () => void this.end())
    onAbort(this.#following.signal, () => void followed.then(() => this.#ended.resolve()))
  }

  /** Lets its controllers work, once its caches are filled. */
  begin({ signal, term }: Shift): void {
    if (!this.#hasSynced || this.#work !== undefined || this.#gone.aborted) return
    const over = AbortSignal.any([signal, this.#gone])
    this.#work = this.controllers.work(over, term).finally(() => {
      this.#work = undefined
    })
  }

  /** Resolves when its controllers do not work any more. */
  async rest(): Promise<void> {
    await this.#work
  }

  /** Follows it no longer than its controllers work. */
  async end(): Promise<void> {
    await this.rest()
    this.controllers.close()
    this.#isSynced?.set([this.cluster.name], 0)
    this.#following.abort()
    await this.ended
  }

  report(): ClusterReport {
    const problem = this.#problem
    const state = { synced: this.#hasSynced, working: this.#work !== undefined }
    return problem === undefined ? state : { ...state, problem }
  }

  stats(): Readonly<Record<string, ControllerStats>> {
    return this.#titled((runner) => runner.stats())
  }

  controllerReports(): Readonly<Record<string, ControllerReport>> {
    return this.#titled((runner) => runner.report())
  }

  #titled<T>(
    tell: (runner: { stats(): ControllerStats; report(): ControllerReport }) => T,
  ): Readonly<Record<string, T>> {
    const titled = [...this.controllers.runners].map(
      ([name, runner]) => [titleIn(this.cluster, name), tell(runner)] as const,
    )
    return Object.fromEntries(titled)
  }
}
