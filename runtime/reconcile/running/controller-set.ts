import type { Client, Write } from '../../client/client.ts'
import type { Term } from '../../election/election.ts'
import type { CacheReader } from '../../informer/informer.ts'
import { aborted } from '../../kernel/async/abort-signal.ts'
import { type Clock, pause, type Random } from '../../kernel/async/clock.ts'
import { deadline } from '../../kernel/async/deadline.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Log, Metrics, Tracer } from '../../observe/observe.ts'
import { createRecorder, type Recorder } from '../../recorder/recorder.ts'
import type { Cluster } from '../controller/cluster.ts'
import type { AnyController } from '../controller/controller.ts'
import { declaredClient } from '../controller/declared-client.ts'
import type { KeyController, Lookup, Watch } from '../controller/key-controller.ts'
import { keyController } from '../objects/object-controller.ts'
import { createQueue, type Queue, type QueueOptions } from '../queue/queue.ts'
import { sharedQueue } from '../queue/shared-queue.ts'
import { cacheName, cacheOf } from '../watching/controller-caches.ts'
import { withResync } from '../watching/resync.ts'
import { SharedInformers, type Waking } from '../watching/shared-informers.ts'
import type { Accepts } from '../watching/wake-ups.ts'
import { KeyJournal } from './key-journal.ts'
import type { KeyShards } from './key-shards.ts'
import { collectReadiness, declaresHealth, readinessReport } from './readiness-report.ts'
import type { Elsewhere } from './run-once.ts'
import { createRunner, type Runner } from './runner.ts'

/** What a set of controllers works with. */
export interface ControllerSetOptions {
  /** The cluster in which they work. */
  readonly cluster: Cluster
  /** The same controllers in another cluster of their manager. */
  readonly peer: (cluster: Cluster) => ControllerSet | undefined
  readonly controllers: readonly (AnyController | KeyController)[]
  readonly namespace?: string
  readonly defaultTransform?: (object: Stored<ApiObject>) => Stored<ApiObject>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly queue?: Omit<QueueOptions, 'clock' | 'metrics' | 'name'>
  readonly clientOf?: (controller: string) => Client
  readonly startIntervalMs?: number
  readonly metrics?: Metrics
  readonly tracer?: Tracer
  /** The program that runs the controllers, as metrics name it. */
  readonly program: string
  readonly drainMs: number
  readonly keepAlive: boolean
  /** The id of the next run. */
  readonly nextRun: () => string
  /** Hears of a kind that cannot be listed: it is not served, or not to this user. */
  readonly onRefused: (error: StatusError) => void
  /** The keys of a controller that are this process's. Absent where all of them are. */
  readonly shardsOf: (controller: string) => KeyShards | undefined
}

/** Milliseconds that events may take to be written at the end. */
const flushMs = 2000

/** What one controller has in one cluster. */
interface Part extends Omit<Elsewhere, 'synced'> {
  /** True if a watch of it says in which clusters it watches. */
  readonly watchesOthers: boolean
  /** Wakes the keys of cached objects that are accepted. */
  readonly wakeCached: (accepts: Accepts) => void
  /** Absent where it does not work. */
  readonly queue?: Queue
}

/** The controllers of one cluster: they share its client, and one cache of each kind. */
export class ControllerSet {
  /** Those that work in this cluster, by name. */
  readonly runners: ReadonlyMap<string, Runner>
  readonly #parts = new Map<string, Part>()
  readonly #options: ControllerSetOptions
  readonly #informers: SharedInformers
  readonly #recorders: Recorder[] = []
  #isSynced = false

  constructor(options: ControllerSetOptions) {
    const { cluster, controllers, namespace, random, clock, log, keepAlive, onRefused } = options
    const { defaultTransform } = options
    const { client } = cluster
    this.#options = options
    this.#informers = new SharedInformers({
      ...{ client, random, clock, log, keepAlive, onRefused },
      ...(namespace !== undefined && { namespace }),
      ...(defaultTransform && { defaultTransform }),
    })
    const runners = new Map<string, Runner>()
    this.#informers.expect(controllers.flatMap((one) => this.#watchesOf(keyed(one))))
    for (const one of controllers) {
      invariant(!this.#parts.has(one.name), 'every controller has a name of its own')
      const runner = this.#join(one)
      if (runner !== undefined) runners.set(one.name, runner)
    }
    this.runners = runners
  }

  /** Follows what is watched until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void> {
    return this.#informers.run(signal)
  }

  /** Resolves when every cache has its first list. */
  async synced(): Promise<void> {
    await this.#informers.synced()
    this.#isSynced = true
  }

  /** Runs every controller until `signal` aborts or the term is lost. */
  async work(signal: AbortSignal, term?: Term): Promise<void> {
    const { clock, startIntervalMs = 0 } = this.#options
    const ended = term === undefined ? signal : AbortSignal.any([signal, term.lost])
    const runs = [...this.runners].map(async ([name, runner], at) => {
      if (startIntervalMs > 0) await pause(clock, at * startIntervalMs, ended)
      await counted(this.#options, this.#titleOf(name), () => runner.run(signal, term))
    })
    await Promise.all([aborted(ended), ...runs])
    await this.#flushEvents(term)
  }

  /** Adds all keys that are accepted, by controller. */
  wakeAll(accepts: (item: string, controller: string, cluster: Cluster) => boolean): void {
    for (const [name, { wakeCached }] of this.#parts) {
      const ours: Accepts = (item, cluster) => accepts(item, name, cluster)
      this.runners.get(name)?.wakeAll(ours)
      wakeCached(ours)
    }
  }

  /** What a controller has here, for its runs in other clusters. */
  partOf(controller: string): Elsewhere | undefined {
    const part = this.#parts.get(controller)
    return part && { ...part, synced: this.#isSynced }
  }

  /** Wakes what depends on which clusters there are: a cluster came, or went. */
  wakeForCluster(changed: Cluster): void {
    this.wakeAll((_, controller, woken) => {
      const mayDepend = this.#parts.get(controller)?.watchesOthers === true
      return woken === changed || (mayDepend && woken === this.#options.cluster)
    })
  }

  /** Where keys of a controller go; undefined if it does not work here. */
  queueOf(controller: string): Queue | undefined {
    return this.#parts.get(controller)?.queue
  }

  close(): void {
    for (const runner of this.runners.values()) runner.close()
  }

  /** Events of the runs that have ended are written, if that does not take long. */
  async #flushEvents(term: Term | undefined): Promise<void> {
    const limit = deadline(
      this.#options.clock,
      term?.lost ?? new AbortController().signal,
      0,
      flushMs,
    )
    await Promise.all(this.#recorders.map((recorder) => recorder.flush(limit.signal)))
    limit.end()
  }

  #recorderOf(component: string): Recorder {
    const { clock, random, log } = this.#options
    const recorder = createRecorder({ component, clock, random, log })
    this.#recorders.push(recorder)
    return recorder
  }

  /** Lets a controller watch what it wants of this cluster, and gives its runner if it works here. */
  #join(declared: AnyController | KeyController): Runner | undefined {
    const { cluster, peer, random } = this.#options
    const given = keyed(declared)
    const { name, watches = [], clusters = () => true } = given
    const works = clusters(cluster)
    const caches = new Map<string, CacheReader<ApiObject>>()
    const cached: Lookup['cached'] = (kind) => cacheOf(name, caches, kind)
    const journal = new KeyJournal(this.#options.clock)
    const shards = this.#options.shardsOf(name)
    const queue = works ? this.#queueOf(given, journal, shards) : undefined
    const waking: Waking = {
      queue: queue ?? { add: () => this.#refuse(name) },
      queueIn: (other) => peer(other)?.queueOf(name),
      lookup: { cached, cluster },
      again: new Set(),
    }
    const onWrite = (write: Write): void => this.#informers.show(write)
    const { clientOf = () => cluster.client } = this.#options
    const client = clientOf(name).scoped({ onWrite })
    for (const watch of this.#watchesOf(given)) {
      const cache = this.#informers.enqueue(watch, waking)
      const kind = cacheName(watch.kind)
      if (!caches.has(kind)) caches.set(kind, cache)
    }
    const part = { declared: declaredClient(client, given), caches }
    const wakeCached = (accepts: Accepts): void => {
      for (const again of waking.again) again(accepts)
    }
    const watchesOthers = watches.some((watch) => watch.clusters !== undefined)
    this.#parts.set(name, { ...part, wakeCached, watchesOthers, ...(queue && { queue }) })
    if (queue === undefined) return undefined
    return createRunner({
      ...this.#runnerOptions(given, waking),
      ...{ ...part, client, queue, journal, controller: withResync(given, queue, random) },
      ...(shards && { shards }),
      ...('for' in declared && declared.deleted === undefined && { kind: declared.for }),
      ...('for' in declared && this.#readinessOf(declared, caches)),
    })
  }

  /** What a controller watches in this cluster. */
  #watchesOf({ watches = [], clusters = () => true }: KeyController): readonly Watch[] {
    const { cluster } = this.#options
    return watches.filter((watch) => watch.clusters?.(cluster) ?? clusters(cluster))
  }

  #queueOf(
    { name, queue: waits }: KeyController,
    journal: KeyJournal,
    shards: KeyShards | undefined,
  ): Queue {
    const { clock, metrics, queue } = this.#options
    const settings = { clock, ...queue, ...waits, name: this.#titleOf(name) }
    const all = journal.watch(createQueue({ ...settings, ...(metrics && { metrics }) }))
    return shards === undefined ? all : sharedQueue(all, (item) => shards.holds(item))
  }

  /** How the objects of a controller stand, for reports; metrics count them from now on. */
  #readinessOf(
    { name, for: kind }: AnyController,
    caches: ReadonlyMap<string, CacheReader<ApiObject>>,
  ) {
    const { metrics, clock } = this.#options
    const cache = caches.get(cacheName(kind))
    if (cache === undefined || !declaresHealth(kind)) return {}
    if (metrics) collectReadiness(metrics, this.#titleOf(name), kind, cache, clock)
    return { readiness: () => readinessReport(kind, cache, clock.now()) }
  }

  /** What the runners of a set have in common. */
  #runnerOptions({ name, component = name }: KeyController, waking: Waking) {
    const { metrics, tracer, clock, log, drainMs, nextRun, cluster, peer } = this.#options
    return {
      ...{ clock, log, drainMs, nextRun, cluster, title: this.#titleOf(name) },
      follow: (watch: Watch, signal: AbortSignal) => this.#informers.follow(watch, waking, signal),
      elsewhere: (other: Cluster) => peer(other)?.partOf(name),
      recorder: this.#recorderOf(component),
      ...(metrics && { metrics }),
      ...(tracer && { tracer }),
    }
  }

  /** A controller and its cluster, as metrics and reports name it. */
  #titleOf(controller: string): string {
    return titleIn(this.#options.cluster, controller)
  }

  #refuse(controller: string): void {
    const why = 'a watch woke a key of a cluster in which its controller does not work'
    this.#options.log.error(`${why}: give keys of another one, by key() of a cluster`, {
      controller,
      cluster: this.#options.cluster.name,
    })
  }
}

function keyed(declared: AnyController | KeyController): KeyController {
  return 'for' in declared ? keyController(declared) : declared
}

/** A controller in a cluster, as metrics and reports name it: `website@east`. */
export function titleIn({ name }: Cluster, controller: string): string {
  return name === '' ? controller : `${controller}@${name}`
}

/** Runs one controller, and says so in the metrics meanwhile. */
async function counted(
  { metrics, program }: ControllerSetOptions,
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
