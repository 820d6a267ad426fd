import { aborted, allowListeners } from '../../kernel/async/abort-signal.ts'
import { keepAlive } from '../../kernel/async/clock.ts'
import { deadline } from '../../kernel/async/deadline.ts'
import { deferred } from '../../kernel/async/deferred.ts'
import type { Cluster } from '../controller/cluster.ts'
import { controllerGraph } from '../controller/controller-graph.ts'
import type { ControllerGraph } from '../controller/graph-contract.ts'
import type { ControllerStats } from './controller-stats.ts'
import { EngagedCluster, type Shift } from './engaged-cluster.ts'
import type {
  ClusterManagerOptions,
  ClusterReport,
  Manager,
  ManagerReport,
} from './manager-contract.ts'
import { createRunIds } from './run-ids.ts'
import { type Surroundings, surroundingsOf } from './surroundings.ts'
import { Turns, type TurnWork } from './turns.ts'

/**
 * A manager whose controllers work in several clusters.
 *
 * @throws RangeError for leases without a cluster in which they stand.
 */
export function createClusterManager(options: ClusterManagerOptions): Manager {
  return new ClusterManager(options)
}

class ClusterManager implements Manager {
  readonly #options: ClusterManagerOptions
  readonly #surroundings: Surroundings
  readonly #turns: Turns | undefined
  readonly #nextRun: () => string
  readonly #ready = deferred()
  readonly #engaged = new Map<Cluster, EngagedCluster>()
  #shift: Shift | undefined
  #isReady = false
  #isPatient = true

  constructor(options: ClusterManagerOptions) {
    const { home, leaderElection, sharding } = options
    this.#options = options
    this.#surroundings = surroundingsOf(options)
    this.#nextRun = createRunIds(this.#surroundings.random)
    if (home === undefined && (leaderElection !== undefined || sharding !== undefined)) {
      throw new RangeError('manager: `home` has to say in which of the clusters its leases stand')
    }
    if (home !== undefined) {
      this.#turns = new Turns({ ...options, ...this.#surroundings, client: home.client })
    }
    this.#ready.promise.catch(() => {})
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get isLeader(): boolean {
    return this.#shift !== undefined
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clusters, patienceMs = 10_000 } = this.#options
    const release = this.#surroundings.keepAlive ? keepAlive() : () => {}
    allowListeners(signal)
    const leave = clusters.follow((cluster, gone) => this.#engage(cluster, gone))
    const patience = deadline(this.#surroundings.clock, signal, 0, patienceMs)
    patience.signal.addEventListener('abort', () => this.#losePatience(), { once: true })
    try {
      this.#seeReady()
      await Promise.race([this.#ready.promise, aborted(signal)])
      this.#ready.resolve()
      await (this.#turns?.run(signal, this.#work()) ?? this.#work().run(signal))
    } finally {
      leave()
      patience.end()
      await Promise.all([...this.#engaged.values()].map((one) => one.end()))
      release()
    }
  }

  graph(): ControllerGraph {
    return controllerGraph(this.#options.controllers)
  }

  stats(): Readonly<Record<string, ControllerStats>> {
    return Object.assign({}, ...this.#present().map((one) => one.stats()))
  }

  report(): ManagerReport {
    const clusters: Record<string, ClusterReport> = {}
    for (const one of this.#present()) clusters[one.cluster.name] = one.report()
    return {
      ...{ working: this.#shift !== undefined, synced: this.#isReady, clusters },
      ...this.#turns?.report(),
      controllers: Object.assign({}, ...this.#present().map((one) => one.controllerReports())),
    }
  }

  #present(): readonly EngagedCluster[] {
    return [...this.#engaged.values()]
  }

  /** Follows a cluster from now on, until `gone` aborts and its runs have ended. */
  #engage(cluster: Cluster, gone: AbortSignal): void {
    const one = new EngagedCluster({
      ...{ options: this.#options, surroundings: this.#surroundings, cluster, gone },
      nextRun: this.#nextRun,
      peer: (other) => this.#engaged.get(other)?.controllers,
      shardsOf: (name) => this.#turns?.shardsOf(cluster, name),
    })
    this.#engaged.set(cluster, one)
    one.synced.then(() => {
      if (this.#shift !== undefined) one.begin(this.#shift)
      this.#wakeOthers(cluster)
      this.#seeReady()
    })
    one.ended.then(() => {
      this.#engaged.delete(cluster)
      this.#wakeOthers(cluster)
      this.#seeReady()
    })
    one.follow()
  }

  /** Wakes keys in other clusters, and by objects of these, that depend on a cluster which came or went. */
  #wakeOthers(cluster: Cluster): void {
    for (const one of this.#present()) {
      if (one.cluster !== cluster) one.controllers.wakeForCluster(cluster)
    }
  }

  #losePatience(): void {
    this.#isPatient = false
    this.#seeReady()
  }

  #seeReady(): void {
    const present = this.#present()
    const synced = present.filter((one) => one.report().synced).length
    if (synced < present.length && (this.#isPatient || synced === 0)) return
    this.#isReady = true
    this.#ready.resolve()
  }

  #work(): TurnWork {
    return {
      run: async (signal, term) => {
        const over = term === undefined ? signal : AbortSignal.any([signal, term.lost])
        allowListeners(over)
        this.#shift = { signal, term }
        for (const one of this.#present()) one.begin(this.#shift)
        await aborted(over)
        this.#shift = undefined
        await Promise.all(this.#present().map((one) => one.rest()))
      },
      gained: (accepts) => {
        for (const { controllers } of this.#present()) controllers.wakeAll(accepts)
      },
    }
  }
}
