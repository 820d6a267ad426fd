import type { Client, Write } from '../../client/client.ts'
import type { Term } from '../../election/election.ts'
import type { CacheReader } from '../../informer/informer.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import { deadline } from '../../kernel/async/deadline.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Log, Metrics, Tracer } from '../../observe/observe.ts'
import { createRecorder, type Recorder } from '../../recorder/recorder.ts'
import type { AnyController } from '../controller/controller.ts'
import { declaredClient } from '../controller/declared-client.ts'
import type { KeyController, Lookup, Watch } from '../controller/key-controller.ts'
import { keyController } from '../objects/object-controller.ts'
import { createQueue, type QueueOptions } from '../queue/queue.ts'
import { sharedQueue } from '../queue/shared-queue.ts'
import { cacheName, cacheOf } from '../watching/controller-caches.ts'
import { withResync } from '../watching/resync.ts'
import { SharedInformers, type Waking } from '../watching/shared-informers.ts'
import { KeyJournal } from './key-journal.ts'
import type { KeyShards } from './key-shards.ts'
import { createRunner, type Runner } from './runner.ts'

/** What a set of controllers works with. */
export interface ControllerSetOptions {
  readonly client: Client
  readonly controllers: readonly (AnyController | KeyController)[]
  readonly namespace?: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly queue?: Omit<QueueOptions, 'clock' | 'metrics' | 'name'>
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
  readonly shardsOf?: (controller: string) => KeyShards
}

/** Milliseconds that events may take to be written at the end. */
const flushMs = 2000
const never = new AbortController().signal

/** Controllers that share one client, and one cache of each kind. */
export class ControllerSet {
  readonly runners: ReadonlyMap<string, Runner>
  readonly #options: ControllerSetOptions
  readonly #informers: SharedInformers
  readonly #recorders: Recorder[] = []

  constructor(options: ControllerSetOptions) {
    const { client, controllers, namespace, random, clock, log, keepAlive, onRefused } = options
    this.#options = options
    this.#informers = new SharedInformers({
      ...{ client, random, clock, log, keepAlive, onRefused },
      ...(namespace !== undefined && { namespace }),
    })
    this.runners = new Map(controllers.map((one) => [one.name, this.#runnerOf(one)] as const))
    invariant(this.runners.size === controllers.length, 'every controller has a name of its own')
  }

  /** Follows what is watched until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void> {
    return this.#informers.run(signal)
  }

  /** Resolves when every cache has its first list. */
  synced(): Promise<void> {
    return this.#informers.synced()
  }

  /** Runs every controller until `signal` aborts or the term is lost. */
  async work(signal: AbortSignal, term?: Term): Promise<void> {
    const runs = [...this.runners].map(([name, runner]) =>
      counted(this.#options, name, () => runner.run(signal, term)),
    )
    await Promise.all(runs)
    await this.#flushEvents(term)
  }

  /** Adds all keys that are accepted, by controller. */
  wakeAll(accepts: (item: string, controller: string) => boolean): void {
    for (const [name, runner] of this.runners) runner.wakeAll((item) => accepts(item, name))
  }

  close(): void {
    for (const runner of this.runners.values()) runner.close()
  }

  /** Events of the runs that have ended are written, if that does not take long. */
  async #flushEvents(term: Term | undefined): Promise<void> {
    const limit = deadline(this.#options.clock, term?.lost ?? never, 0, flushMs)
    await Promise.all(this.#recorders.map((recorder) => recorder.flush(limit.signal)))
    limit.end()
  }

  #recorderOf(component: string): Recorder {
    const { clock, random, log } = this.#options
    const recorder = createRecorder({ component, clock, random, log })
    this.#recorders.push(recorder)
    return recorder
  }

  #runnerOf(declared: AnyController | KeyController): Runner {
    const { metrics, tracer, clock, log, random, drainMs, nextRun, shardsOf } = this.#options
    const given = 'for' in declared ? keyController(declared) : declared
    const { name, watches = [] } = given
    const waits = { ...this.#options.queue, ...given.queue }
    const journal = new KeyJournal(clock)
    const all = journal.watch(createQueue({ clock, ...waits, name, ...(metrics && { metrics }) }))
    const shards = shardsOf?.(name)
    const queue = shards === undefined ? all : sharedQueue(all, (item) => shards.holds(item))
    const controller = withResync(given, queue, random)
    const caches = new Map<string, CacheReader<ApiObject>>()
    const lookup: Lookup = { cached: (kind) => cacheOf(name, caches, kind) }
    const waking: Waking = { queue, lookup, again: new Set() }
    const onWrite = (write: Write): void => this.#informers.show(write)
    const client = this.#options.client.scoped({ onWrite })
    for (const watch of watches) {
      const cache = this.#informers.enqueue(watch, waking)
      const kind = cacheName(watch.kind)
      if (!caches.has(kind)) caches.set(kind, cache)
    }
    return createRunner({
      ...{ controller, client, queue, journal, clock, log, caches, drainMs, nextRun },
      follow: (watch: Watch, signal: AbortSignal) => this.#informers.follow(watch, waking, signal),
      wakeCached(accepts) {
        for (const again of waking.again) again(accepts)
      },
      declared: declaredClient(client, controller),
      recorder: this.#recorderOf(name),
      ...(shards && { shards }),
      ...(metrics && { metrics }),
      ...(tracer && { tracer }),
      ...('for' in declared && declared.deleted === undefined && { kind: declared.for }),
    })
  }
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
