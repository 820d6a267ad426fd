import type { Client, Write } from '../client/client.ts'
import type { CacheReader } from '../informer/informer.ts'
import { aborted, allowListeners } from '../kernel/async/abort-signal.ts'
import {
  type Clock,
  keepAlive,
  type Random,
  systemClock,
  systemRandom,
} from '../kernel/async/clock.ts'
import { deferred } from '../kernel/async/deferred.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { type Log, type Metrics, silentLog } from '../observe/observe.ts'
import type { AnyController } from './controller.ts'
import type { ControllerStats } from './controller-stats.ts'
import { declaredClient } from './declared-client.ts'
import type { KeyController, Lookup, Watch } from './key-controller.ts'
import { keyController } from './object-controller.ts'
import { createQueue, type QueueOptions } from './queue.ts'
import { withResync } from './resync.ts'
import { cacheName, cacheOf, createRunner, type Runner } from './runner.ts'
import { SharedInformers } from './shared-informers.ts'

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
  /** The program that runs the controllers, as metrics name it. Default `controller-manager`. */
  readonly name?: string
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
   * Resolves when every cache has its first list and the controllers work. Rejects once if a watched kind is not served, or may
   * not be listed by this user, before that: the error says which. `run` goes on trying, and the controllers begin when it may.
   */
  readonly ready: Promise<void>
  /** Runs until `signal` aborts and the runs under way are through. Runs once. */
  run(signal: AbortSignal): Promise<void>
  /** What each controller has done so far, by name. */
  stats(): Readonly<Record<string, ControllerStats>>
}

/** A manager for the given controllers. Nothing is sent before `run`. */
export function createManager(options: ManagerOptions): Manager {
  return new ControllerManager(options)
}

class ControllerManager implements Manager {
  readonly #options: ManagerOptions
  readonly #clock: Clock
  readonly #log: Log
  readonly #informers: SharedInformers
  readonly #runners: ReadonlyMap<string, Runner>
  readonly #ready = deferred()

  constructor(options: ManagerOptions) {
    const {
      client,
      controllers,
      namespace,
      random = systemRandom,
      keepAlive: alive = true,
    } = options
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#log = options.log ?? silentLog
    this.#informers = new SharedInformers({
      ...{ client, random, clock: this.#clock, log: this.#log, keepAlive: alive },
      onRefused: (error) => this.#ready.reject(error),
      ...(namespace !== undefined && { namespace }),
    })
    this.#ready.promise.catch(() => {})
    this.#runners = new Map(controllers.map((one) => [one.name, this.#runnerOf(one)] as const))
    invariant(this.#runners.size === controllers.length, 'every controller has a name of its own')
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  async run(signal: AbortSignal): Promise<void> {
    const release = this.#options.keepAlive === false ? () => {} : keepAlive()
    const following = new AbortController()
    for (const one of [signal, following.signal]) allowListeners(one)
    const followed = this.#informers.run(following.signal)
    try {
      await Promise.race([this.#informers.synced(), aborted(signal)])
      this.#ready.resolve()
      await Promise.all(
        [...this.#runners].map(([name, runner]) => run(this.#options, name, runner, signal)),
      )
    } finally {
      following.abort()
      await followed
      release()
    }
  }

  stats(): Readonly<Record<string, ControllerStats>> {
    const stats = [...this.#runners].map(([name, runner]) => [name, runner.stats()] as const)
    return Object.fromEntries(stats)
  }

  #runnerOf(declared: AnyController | KeyController): Runner {
    const { metrics, drainMs = 10_000, random = systemRandom } = this.#options
    const [clock, log] = [this.#clock, this.#log]
    const given = 'for' in declared ? keyController(declared) : declared
    const { name, watches = [] } = given
    const waits = { ...this.#options.queue, ...given.queue }
    const queue = createQueue({ clock, ...waits, name, ...(metrics && { metrics }) })
    const controller = withResync(given, queue, random)
    const caches = new Map<string, CacheReader<ApiObject>>()
    const lookup: Lookup = { cached: (kind) => cacheOf(name, caches, kind) }
    const onWrite = (write: Write): void => this.#informers.show(write)
    const client = declaredClient(this.#options.client.scoped({ onWrite }), controller)
    for (const watch of watches) {
      const cache = this.#informers.enqueue(watch, queue, lookup)
      const name = cacheName(watch.kind)
      if (!caches.has(name)) caches.set(name, cache)
    }
    const follow = (watch: Watch, signal: AbortSignal) =>
      this.#informers.follow(watch, queue, lookup, signal)
    return createRunner({
      ...{ controller, client, queue, clock, log, caches, drainMs, follow },
      ...('for' in declared && declared.deleted === undefined && { kind: declared.for }),
    })
  }
}

/** Runs one controller, and says so in the metrics meanwhile. */
async function run(
  { metrics, name: program = 'controller-manager' }: ManagerOptions,
  name: string,
  runner: Runner,
  signal: AbortSignal,
): Promise<void> {
  const running = metrics?.gauge('running_managed_controllers')
  running?.set([name, program], 1)
  try {
    await runner.run(signal)
  } finally {
    running?.set([name, program], 0)
  }
}
