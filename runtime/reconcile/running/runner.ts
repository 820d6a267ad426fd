import type { Write } from '../../client/client.ts'
import type { ShardEntry, Term } from '../../election/election.ts'
import { formatKey, parseKey } from '../../informer/informer.ts'
import { allowListeners, onAbort } from '../../kernel/async/abort-signal.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { deadline } from '../../kernel/async/deadline.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { type Log, logWith, type Metrics, type Tracer } from '../../observe/observe.ts'
import { causeOf, printCause, titleOf } from '../changes/cause.ts'
import { type WriteLoop, WriteLoops } from '../changes/write-loops.ts'
import type { KeyController } from '../controller/key-controller.ts'
import type { Queue } from '../queue/queue.ts'
import type { SharedQueue } from '../queue/shared-queue.ts'
import { cacheName, cacheOf, cachesOf } from '../watching/controller-caches.ts'
import { runSources } from '../watching/run-sources.ts'
import type { Accepts } from '../watching/wake-ups.ts'
import { type ControllerStats, createRunCounter } from './controller-stats.ts'
import type { KeyJournal, KeyReport } from './key-journal.ts'
import type { KeyShards } from './key-shards.ts'
import type { ReadinessReport } from './readiness-report.ts'
import { createRunMetrics, type RunMetrics } from './run-metrics.ts'
import { type RunOptions, runOnce } from './run-once.ts'
import { logOutcome, wordsOf } from './told-outcome.ts'
import { traced } from './tracing.ts'

/** What a runner works with. */
export interface RunnerOptions extends Omit<RunOptions, 'progressed'> {
  /** Names the controller and its cluster in metrics. */
  readonly title: string
  readonly queue: Queue | SharedQueue
  /** Which keys are this process's. Absent where all of them are. */
  readonly shards?: KeyShards
  /** What `queue` is watched by. */
  readonly journal: KeyJournal
  readonly metrics?: Metrics
  readonly tracer?: Tracer
  /** The id of the next run. */
  readonly nextRun: () => string
  /** A key without an object of this kind is done without a run. Absent for a controller of keys. */
  readonly kind?: AnyKind
  /** How the objects of the controller stand, where their kind says what is healthy. */
  readonly readiness?: () => ReadinessReport
  /** Milliseconds that runs under way may go on after the end was asked for. */
  readonly drainMs: number
}

/** The workers of one controller. */
export interface Runner {
  /**
   * Works the queue until `signal` aborts and the runs under way are through, or until `term` is lost, which ends them at once.
   * It can be run again after that.
   */
  run(signal: AbortSignal, term?: Term): Promise<void>
  /** Adds seeds and keys that were deleted elsewhere, those that are accepted. */
  wakeAll(accepts: Accepts): void
  /** No key waits for its time any more. */
  close(): void
  stats(): ControllerStats
  report(): ControllerReport
}

/** What a controller has done so far, and where its keys stand. */
export interface ControllerReport extends ControllerStats {
  /** Milliseconds that the key waits for a worker that has waited longest. */
  readonly oldestMs: number
  /** Keys that are worked on or wait, then those that did not end well, then the last ones; 200 at most. */
  readonly keys: readonly KeyReport[]
  /** How its objects stand. Absent where their kind does not declare which conditions are healthy. */
  readonly readiness?: ReadinessReport
}

/** So many keys of a controller are reported. */
const reported = 200

/** How long a run waits for the caches to show what its predecessor wrote. */
const catchUpMs = 5000

/** A run that goes on writing ends after so many times what it may take without a write. */
const longestRun = 10

/** How long a run may go on, and under which lease. */
interface RunLimits {
  readonly signal: AbortSignal
  readonly term: Term | undefined
  readonly progressed: () => void
}

/** After so long, caches show a write or do not follow the server. */
const shownMs = 300_000

/** How long a key waits while it is not certain whose it is. */
const uncertainMs = 1000

/** Runs one controller over one queue. */
export function createRunner(options: RunnerOptions): Runner {
  return new QueueRunner(options)
}

/** The time in which workers work: until the end of the program, or of the term that it leads. */
interface Shift {
  /** No run begins after it has aborted. */
  readonly over: AbortSignal
  /** Ends runs under way. */
  readonly ended: AbortSignal
  readonly term: Term | undefined
}

/** A signal of `outer` and of the loss of a term, which any number of listeners may wait for. */
function either(outer: AbortSignal, term: Term | undefined): AbortSignal {
  const signal = term === undefined ? outer : AbortSignal.any([outer, term.lost])
  allowListeners(signal)
  return signal
}

class QueueRunner implements Runner {
  readonly #options: RunnerOptions
  readonly #counter = createRunCounter()
  /** What the last run of a key wrote and when, the earliest first; only what caches may not show yet. */
  readonly #writes = new Map<string, { readonly at: number; readonly written: readonly Write[] }>()
  readonly #metrics: RunMetrics | undefined
  readonly #loops: WriteLoops

  constructor(options: RunnerOptions) {
    this.#options = options
    const { metrics, controller, title } = options
    this.#metrics = metrics && createRunMetrics(metrics, title, workersOf(controller))
    this.#loops = new WriteLoops(options.clock)
  }

  async run(signal: AbortSignal, term?: Term): Promise<void> {
    const { controller, clock, drainMs } = this.#options
    this.#addSeeds(() => true)
    const drained = deadline(clock, signal, drainMs)
    const shift: Shift = { over: either(signal, term), ended: either(drained.signal, term), term }
    const workers = Array.from({ length: workersOf(controller) }, () => this.#work(shift))
    await Promise.all([...workers, this.#runSources(shift.over)])
    drained.end()
  }

  wakeAll(accepts: Accepts): void {
    const { queue, cluster } = this.#options
    if ('deletedElsewhere' in queue) {
      for (const item of [...queue.deletedElsewhere]) if (accepts(item, cluster)) queue.add(item)
    }
    this.#addSeeds((item) => accepts(item, cluster))
  }

  close(): void {
    this.#options.queue.close()
  }

  #addSeeds(accepts: (item: string) => boolean): void {
    const { controller, queue } = this.#options
    const { seeds = [] } = controller
    for (const item of seeds.map(formatKey)) if (accepts(item)) queue.add(item)
  }

  #runSources(signal: AbortSignal): Promise<void> {
    const { controller, queue, caches, clock, log, cluster } = this.#options
    const { name, sources = [] } = controller
    return runSources(sources, {
      ...{ controller: name, clock, log, signal, cluster },
      cached: (kind) => cacheOf(name, caches, kind),
      wake(keys) {
        for (const key of keys) queue.add(formatKey(key))
      },
    })
  }

  stats(): ControllerStats {
    const { queue } = this.#options
    return { ...this.#counter.read(), depth: queue.depth, delayed: queue.delayed }
  }

  report(): ControllerReport {
    const { journal, readiness } = this.#options
    return {
      ...this.stats(),
      oldestMs: journal.oldestReadyMs(),
      keys: journal.report(reported),
      ...(readiness && { readiness: readiness() }),
    }
  }

  async #work(shift: Shift): Promise<void> {
    const { queue } = this.#options
    const { over } = shift
    for (let item = await queue.take(over); item !== undefined; item = await queue.take(over)) {
      await this.#reconcile(item, shift)
    }
  }

  /** Works on a key that was taken, if it is this process's. */
  async #reconcile(item: string, shift: Shift): Promise<void> {
    const { shards } = this.#options
    const entry = shards?.enter(item)
    if (shards !== undefined && entry === undefined) this.#leave(item, shards)
    else await this.#reconcileOwn(item, shift, entry)
    entry?.leave()
  }

  /** Leaves a key to the process that has it. One that is this process's, whose lease is not certain now, comes again. */
  #leave(item: string, shards: KeyShards): void {
    if (shards.holds(item)) this.#options.queue.addAfter(item, uncertainMs)
    this.#drop(item)
  }

  #drop(item: string): void {
    const { queue } = this.#options
    queue.forget(item)
    queue.finish(item)
  }

  /** Resolves when the key's run has ended, or hangs: then its worker is free, and the key stays taken until the run ends. */
  async #reconcileOwn(item: string, shift: Shift, entry: ShardEntry | undefined): Promise<void> {
    const { controller, clock, log } = this.#options
    await this.#catchUp(item, shift.ended)
    if (isGone(this.#options, item)) {
      this.#drop(item)
      return
    }
    const { name, timeoutMs = 60_000 } = controller
    const limit = deadline(clock, shift.ended, 0, timeoutMs)
    const stay = entry && onAbort(entry.ended, limit.abort)
    const lastMs = clock.monotonic() + longestRun * timeoutMs
    const progressed = (): void => limit.extend(Math.min(timeoutMs, lastMs - clock.monotonic()))
    const term = entry?.term ?? shift.term
    const ended = this.#run(item, { signal: limit.signal, term, progressed }).finally(() => {
      stay?.()
      limit.end()
    })
    const hangs = await hangingRun(ended, limit.signal, clock)
    if (hangs)
      log.error('reconcile hangs: it goes on after its signal aborted', {
        controller: name,
        key: item,
        remedy: 'pass the signal of the context to whatever the run waits for',
      })
  }

  async #run(item: string, { signal, term, progressed }: RunLimits): Promise<void> {
    const { controller, queue, clock, journal } = this.#options
    const run = this.#options.nextRun()
    const log = logWith(this.#options.log, { controller: controller.name, key: item, run })
    const began = clock.monotonic()
    const end = this.#counter.begin(began)
    this.#metrics?.began()
    const changes = journal.began(item, run)
    const last = changes.at(-1)
    if (log.debugging) log.debug('reconcile begins', last && { cause: printCause(causeOf(last)) })
    const { outcome, written } = await traced(
      this.#options.tracer,
      { controller: controller.name, key: item, run, changes },
      () => runOnce({ ...this.#options, log, progressed }, item, signal, term),
    )
    const tookMs = clock.monotonic() - began
    end(outcome, began + tookMs)
    this.#metrics?.ended(outcome, tookMs)
    const cause = last && { cause: titleOf(last) }
    journal.ended(item, { run, ...wordsOf(outcome), tookMs, writes: written.length, ...cause })
    this.#warnOfLoop(log, this.#loops.ran(item, changes, written.length))
    if (written.length > 0) this.#remember(item, written)
    const retried = outcome.is === 'failed' || (outcome.is === 'again' && outcome.ms === 0)
    if (retried) queue.retry(item)
    else queue.forget(item)
    if (outcome.is === 'again' && outcome.ms > 0) queue.addAfter(item, outcome.ms)
    logOutcome(log, outcome)
    queue.finish(item)
  }

  #warnOfLoop(log: Log, loop: WriteLoop | undefined): void {
    if (loop === undefined) return
    const { runs, object, field, writers } = loop
    const known = writers.length > 0 && { writers: writers.join(', ') }
    const { event, remedy } = loopAdvice(writers.length)
    log.warn(event, { runs, object, field, ...known, remedy })
  }

  #remember(item: string, written: readonly Write[]): void {
    const at = this.#options.clock.monotonic()
    this.#writes.set(item, { at, written })
    for (const [earlier, write] of this.#writes) {
      if (write.at + shownMs > at) break
      this.#writes.delete(earlier)
    }
  }

  /** What the last run wrote must show in the caches, or this one would repeat it. */
  async #catchUp(item: string, ended: AbortSignal): Promise<void> {
    const { controller, caches, clock, log } = this.#options
    const { written } = this.#writes.get(item) ?? {}
    if (written === undefined) return
    this.#writes.delete(item)
    const shownIn = written.flatMap((write) =>
      cachesOf(caches, write.kind).map((cache) => ({ cache, write })),
    )
    if (shownIn.length === 0) return
    const limit = deadline(clock, ended, 0, catchUpMs)
    await Promise.all(shownIn.map(({ cache, write }) => cache.waitForWrite(write, limit.signal)))
    if (limit.signal.aborted)
      log.warn('cache is behind', { controller: controller.name, key: item })
    limit.end()
  }
}

function isGone({ kind, caches }: RunnerOptions, item: string): boolean {
  return kind !== undefined && caches.get(cacheName(kind))?.get(parseKey(item)) === undefined
}

/** How long a run may go on after its signal aborted before its worker leaves it. */
const settleMs = 5000

/** True if the run goes on `settleMs` after its signal aborted; false as soon as it has ended. */
function hangingRun(ended: Promise<void>, signal: AbortSignal, clock: Clock): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let cancel = (): void => {}
    const wait = (): void => {
      cancel = clock.after(settleMs, () => resolve(true))
    }
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
    const end = (): void => {
      signal.removeEventListener('abort', wait)
      cancel()
    }
    ended.then(() => resolve(false), reject).finally(end)
  })
}

function workersOf({ concurrency = 4 }: KeyController): number {
  return concurrency
}

/** What is said of a loop, and what ends it: by how many managers of its field there are. */
function loopAdvice(writers: number): { readonly event: string; readonly remedy: string } {
  const own = 'write only what differs, and no time of day'
  const others = 'leave the field to one of them, by server-side apply without force'
  if (writers > 1) {
    return { event: 'writers do not agree on a field, and write it in turn', remedy: others }
  }
  if (writers === 1) return { event: 'reconcile is woken by its own writes', remedy: own }
  return {
    event: 'reconcile writes in a loop: a change of the field wakes it, and it writes',
    remedy: `${own}; where another one writes the field, too, ${others}`,
  }
}
