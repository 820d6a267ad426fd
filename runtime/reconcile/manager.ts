import { aborted, allowListeners } from '../kernel/async/abort-signal.ts'
import { keepAlive } from '../kernel/async/clock.ts'
import { deferred } from '../kernel/async/deferred.ts'
import { createCluster } from './controller/cluster.ts'
import { controllerGraph } from './controller/controller-graph.ts'
import { refuseSharedFields } from './controller/declared-writes.ts'
import type { Disjoint } from './controller/disjoint-types.ts'
import type { ControllerGraph } from './controller/graph-contract.ts'
import { createClusterManager } from './running/cluster-manager.ts'
import { ControllerSet } from './running/controller-set.ts'
import type { ControllerStats } from './running/controller-stats.ts'
import type {
  ClusterManagerOptions,
  Manager,
  ManagerOptions,
  ManagerReport,
} from './running/manager-contract.ts'
import { refuseSettings } from './running/refuse-settings.ts'
import { createRunIds } from './running/run-ids.ts'
import { surroundingsOf } from './running/surroundings.ts'
import { Turns, type TurnWork } from './running/turns.ts'

/**
 * A manager for the given controllers, of one cluster or of several. Nothing is sent before `run`. Two that write a field which one of
 * them declares as its own do not compile.
 *
 * @throws RangeError for two of them nevertheless, for two of one name, or for settings of controllers, leases, shards or clusters that
 * cannot be.
 */
export function createManager<const C extends ManagerOptions['controllers']>(
  options: (ManagerOptions | ClusterManagerOptions) & { readonly controllers: C & Disjoint<C> },
): Manager {
  refuseSettings(options)
  refuseSharedFields(options.controllers)
  return 'clusters' in options ? createClusterManager(options) : new ControllerManager(options)
}

class ControllerManager implements Manager {
  readonly #options: ManagerOptions
  readonly #controllers: ControllerSet
  readonly #ready = deferred()
  readonly #turns: Turns
  #working = false
  #synced = false

  constructor(options: ManagerOptions) {
    const { client } = options
    const surroundings = surroundingsOf(options)
    const cluster = createCluster('', client)
    this.#options = options
    this.#turns = new Turns({ ...options, ...surroundings })
    this.#controllers = new ControllerSet({
      ...{ ...options, ...surroundings, cluster },
      peer: () => undefined,
      nextRun: createRunIds(surroundings.random),
      onRefused: (error) => this.#ready.reject(error),
      shardsOf: (name) => this.#turns.shardsOf(cluster, name),
    })
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
      await this.#turns.run(signal, this.#work())
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
    return {
      ...{ working: this.#working, synced: this.#synced, ...this.#turns.report() },
      controllers: Object.fromEntries(reports),
    }
  }

  graph(): ControllerGraph {
    return controllerGraph(this.#options.controllers)
  }

  stats(): Readonly<Record<string, ControllerStats>> {
    const { runners } = this.#controllers
    return Object.fromEntries([...runners].map(([name, runner]) => [name, runner.stats()] as const))
  }

  #seeSynced(): void {
    this.#synced = true
  }

  #work(): TurnWork {
    const lose = (): void => {
      this.#working = false
    }
    return {
      run: async (signal, term) => {
        this.#working = true
        term?.lost.addEventListener('abort', lose, { once: true })
        await this.#controllers.work(signal, term)
        lose()
      },
      gained: (accepts) => this.#controllers.wakeAll(accepts),
    }
  }
}
