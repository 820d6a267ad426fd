import type { Client, Write } from '../client/client.ts'
import {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
  type Term,
} from '../election/election.ts'

import type { CacheReader } from '../informer/informer.ts'
import { aborted, allowListeners } from '../kernel/async/abort-signal.ts'
import {
  type Clock,
  keepAlive,
  type Random,
  systemClock,
  systemRandom,
} from '../kernel/async/clock.ts'
import { deadline } from '../kernel/async/deadline.ts'
import { deferred } from '../kernel/async/deferred.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { type Log, type Metrics, silentLog, type Tracer } from '../observe/observe.ts'
import { createRecorder, type Recorder } from '../recorder/recorder.ts'
import type { AnyController } from './controller/controller.ts'
import { declaredClient } from './controller/declared-client.ts'
import type { KeyController, Lookup, Watch } from './controller/key-controller.ts'
import { keyController } from './objects/object-controller.ts'
import { createQueue, type QueueOptions } from './queue/queue.ts'
import type { ControllerStats } from './running/controller-stats.ts'
import { KeyJournal } from './running/key-journal.ts'
import { createRunIds } from './running/run-ids.ts'
import { type ControllerReport, createRunner, type Runner } from './running/runner.ts'
import { cacheName, cacheOf } from './watching/controller-caches.ts'
import { withResync } from './watching/resync.ts'
import { SharedInformers } from './watching/shared-informers.ts'

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
  /** True while the controllers work: with leader election, while this process holds the lease. */
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

/** A manager for the given controllers. Nothing is sent before `run`. */
export function createManager(options: ManagerOptions): Manager {
  return new ControllerManager(options)
}

/** Milliseconds that events may take to be written at the end. */
const flushMs = 2000
const never = new AbortController().signal

class ControllerManager implements Manager {
  readonly #options: ManagerOptions
  readonly #clock: Clock
  readonly #log: Log
  readonly #informers: SharedInformers
  readonly #runners: ReadonlyMap<string, Runner>
  readonly #ready = deferred()
  readonly #nextRun: () => string
  readonly #recorders: Recorder[] = []
  readonly #election: LeaderElection | undefined
  #working = false
  #synced = false

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
    this.#nextRun = createRunIds(random)
    this.#runners = new Map(controllers.map((one) => [one.name, this.#runnerOf(one)] as const))
    invariant(this.#runners.size === controllers.length, 'every controller has a name of its own')
    this.#election = options.leaderElection && this.#electionOf(options.leaderElection)
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
    const followed = this.#informers.run(following.signal)
    try {
      await Promise.race([this.#informers.synced().then(() => this.#seeSynced()), aborted(signal)])
      this.#ready.resolve()
      if (this.#election === undefined) await this.#work(signal)
      else await this.#election.run(signal, (term) => this.#work(signal, term))
    } finally {
      for (const runner of this.#runners.values()) runner.close()
      following.abort()
      await followed
      release()
    }
  }

  report(): ManagerReport {
    const reports = [...this.#runners].map(([name, runner]) => [name, runner.report()] as const)
    const lease = this.#leaseReport()
    return {
      working: this.#working,
      synced: this.#synced,
      ...(lease && { lease }),
      controllers: Object.fromEntries(reports),
    }
  }

  #seeSynced(): void {
    this.#synced = true
  }

  #leaseReport(): LeaseReport | undefined {
    const { leaderElection } = this.#options
    if (leaderElection === undefined || this.#election === undefined) return undefined
    const { identity, leader, term } = this.#election
    return {
      name: leaderElection.name,
      identity,
      ...(leader !== undefined && { holder: leader }),
      ...(term !== undefined && { token: term.token }),
    }
  }

  /** Runs every controller until `signal` aborts or the term is lost. */
  async #work(signal: AbortSignal, term?: Term): Promise<void> {
    this.#working = true
    const lose = (): void => {
      this.#working = false
    }
    term?.lost.addEventListener('abort', lose, { once: true })
    const runs = [...this.#runners].map(([name, runner]) =>
      run(this.#options, name, () => runner.run(signal, term)),
    )
    await Promise.all(runs)
    await this.#flushEvents(term)
    lose()
  }

  /** Events of the runs that have ended are written, if that does not take long. */
  async #flushEvents(term: Term | undefined): Promise<void> {
    const limit = deadline(this.#clock, term?.lost ?? never, 0, flushMs)
    await Promise.all(this.#recorders.map((recorder) => recorder.flush(limit.signal)))
    limit.end()
  }

  #recorderOf(component: string): Recorder {
    const { random = systemRandom } = this.#options
    const recorder = createRecorder({ component, clock: this.#clock, random, log: this.#log })
    this.#recorders.push(recorder)
    return recorder
  }

  #electionOf(settings: LeaderElectionSettings): LeaderElection {
    const { client, metrics, random = systemRandom } = this.#options
    const [clock, log] = [this.#clock, this.#log]
    return createLeaderElection({
      ...{ ...settings, client, clock, log, random },
      ...(metrics && { metrics }),
    })
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
    const journal = new KeyJournal(clock)
    const queue = journal.watch(createQueue({ clock, ...waits, name, ...(metrics && { metrics }) }))
    const controller = withResync(given, queue, random)
    const caches = new Map<string, CacheReader<ApiObject>>()
    const lookup: Lookup = { cached: (kind) => cacheOf(name, caches, kind) }
    const onWrite = (write: Write): void => this.#informers.show(write)
    const client = this.#options.client.scoped({ onWrite })
    for (const watch of watches) {
      const cache = this.#informers.enqueue(watch, queue, lookup)
      const name = cacheName(watch.kind)
      if (!caches.has(name)) caches.set(name, cache)
    }
    const follow = (watch: Watch, signal: AbortSignal) =>
      this.#informers.follow(watch, queue, lookup, signal)
    return createRunner({
      ...{ controller, client, queue, journal, clock, log, caches, drainMs, follow },
      declared: declaredClient(client, controller),
      nextRun: this.#nextRun,
      recorder: this.#recorderOf(name),
      ...(metrics && { metrics }),
      ...(this.#options.tracer && { tracer: this.#options.tracer }),
      ...('for' in declared && declared.deleted === undefined && { kind: declared.for }),
    })
  }
}

/** Runs one controller, and says so in the metrics meanwhile. */
async function run(
  { metrics, name: program = 'controller-manager' }: ManagerOptions,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  const running = metrics?.gauge('running_managed_controllers')
  running?.set([name, program], 1)
  try {
    await work()
  } finally {
    running?.set([name, program], 0)
  }
}
