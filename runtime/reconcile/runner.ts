import type { Client, Write } from '../client/client.ts'
import type { Term } from '../election/election.ts'
import { type CacheReader, formatKey, parseKey } from '../informer/informer.ts'
import { allowListeners } from '../kernel/async/abort-signal.ts'
import type { Clock, Random } from '../kernel/async/clock.ts'
import { deadline } from '../kernel/async/deadline.ts'
import { type AnyKind, type Kind, resourceName } from '../kernel/descriptors/kind.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { type Log, logWith, type Metrics } from '../observe/observe.ts'
import type { Recorder } from '../recorder/recorder.ts'
import { causeOf, printCause, titleOf } from './cause.ts'
import { type ControllerStats, createRunCounter } from './controller-stats.ts'

import { type KeyContext, type KeyController, type Watch, watching } from './key-controller.ts'
import type { KeyJournal, KeyReport } from './key-journal.ts'
import { failed, isOutcome, type Outcome } from './outcome.ts'
import type { Queue } from './queue.ts'
import { createRunMetrics, type RunMetrics } from './run-metrics.ts'
import { runSources } from './run-sources.ts'
import { type Tracer, traced } from './tracing.ts'
import { type WriteLoop, WriteLoops } from './write-loops.ts'

/** The caches of the kinds that one controller watches, by `cacheName`. */
export type Caches = ReadonlyMap<string, CacheReader<ApiObject>>

/** Two versions of one kind are two caches: their objects differ. */
export function cacheName(kind: Pick<Kind, 'group' | 'version' | 'plural'>): string {
  return `${resourceName(kind)}/${kind.version}`
}

/** What a runner works with. */
export interface RunnerOptions {
  readonly controller: KeyController
  readonly client: Client
  /** The same client, for the kinds that the controller says it uses. */
  readonly declared: Client
  readonly queue: Queue
  /** What `queue` is watched by. */
  readonly journal: KeyJournal
  readonly recorder: Recorder
  readonly metrics?: Metrics
  readonly tracer?: Tracer
  /** The id of the next run. */
  readonly nextRun: () => string
  readonly clock: Clock
  readonly log: Log
  readonly caches: Caches
  /** Watches further objects until the signal aborts. */
  readonly follow: (watch: Watch, signal: AbortSignal) => Promise<CacheReader<ApiObject>>
  /** A key without an object of this kind is done without a run. Absent for a controller of keys. */
  readonly kind?: AnyKind
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
}

/** So many keys of a controller are reported. */
const reported = 200

/** How long a run waits for the caches to show what its predecessor wrote. */
const catchUpMs = 5000

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
  /** What the last run of a key wrote. */
  readonly #writes = new Map<string, readonly Write[]>()
  readonly #metrics: RunMetrics | undefined
  readonly #loops: WriteLoops

  constructor(options: RunnerOptions) {
    this.#options = options
    const { metrics, controller } = options
    this.#metrics = metrics && createRunMetrics(metrics, controller.name, workersOf(controller))
    this.#loops = new WriteLoops(options.clock)
  }

  async run(signal: AbortSignal, term?: Term): Promise<void> {
    const { controller, queue, clock, drainMs } = this.#options
    const { seeds = [] } = controller
    for (const key of seeds) queue.add(formatKey(key))
    const drained = deadline(clock, signal, drainMs)
    const shift: Shift = { over: either(signal, term), ended: either(drained.signal, term), term }
    const workers = Array.from({ length: workersOf(controller) }, () => this.#work(shift))
    await Promise.all([...workers, this.#runSources(shift.over)])
    drained.end()
  }

  close(): void {
    this.#options.queue.close()
  }

  #runSources(signal: AbortSignal): Promise<void> {
    const { controller, queue, caches, clock, log } = this.#options
    const { name, sources = [] } = controller
    return runSources(sources, {
      ...{ controller: name, clock, log, signal },
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
    const { journal } = this.#options
    return { ...this.stats(), oldestMs: journal.oldestReadyMs(), keys: journal.report(reported) }
  }

  async #work(shift: Shift): Promise<void> {
    const { queue } = this.#options
    const { over } = shift
    for (let item = await queue.take(over); item !== undefined; item = await queue.take(over)) {
      await this.#reconcile(item, shift)
    }
  }

  /** Resolves when the key's run has ended, or hangs: then its worker is free, and the key stays taken until the run ends. */
  async #reconcile(item: string, shift: Shift): Promise<void> {
    const { controller, queue, clock, log } = this.#options
    await this.#catchUp(item, shift.ended)
    if (isGone(this.#options, item)) {
      queue.forget(item)
      queue.finish(item)
      return
    }
    const { name, timeoutMs = 60_000 } = controller
    const limit = deadline(clock, shift.ended, 0, timeoutMs)
    const ended = this.#run(item, limit.signal, shift.term).finally(() => limit.end())
    const hangs = await hangingRun(ended, limit.signal, clock)
    if (hangs)
      log.error('reconcile hangs: it goes on after its signal aborted', {
        controller: name,
        key: item,
      })
  }

  async #run(item: string, signal: AbortSignal, term: Term | undefined): Promise<void> {
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
      () => runOnce({ ...this.#options, log }, item, signal, term),
    )
    const tookMs = clock.monotonic() - began
    end(outcome, began + tookMs)
    this.#metrics?.ended(outcome, tookMs)
    const cause = last && { cause: titleOf(last) }
    journal.ended(item, { run, ...wordsOf(outcome), tookMs, writes: written.length, ...cause })
    this.#warnOfLoop(log, this.#loops.ran(item, changes, written.length))
    if (written.length > 0) this.#writes.set(item, written)
    const retried = outcome.is === 'failed' || (outcome.is === 'again' && outcome.ms === 0)
    if (retried) queue.retry(item)
    else queue.forget(item)
    if (outcome.is === 'again' && outcome.ms > 0) queue.addAfter(item, outcome.ms)
    report(log, outcome)
    queue.finish(item)
  }

  #warnOfLoop(log: Log, loop: WriteLoop | undefined): void {
    if (loop === undefined) return
    const { runs, object, field, writers } = loop
    const facts = { runs, object, field, writers: writers.join(', ') }
    if (writers.length > 1) log.warn('writers do not agree on a field, and write it in turn', facts)
    else if (writers.length === 1) log.warn('reconcile is woken by its own writes', facts)
    else
      log.warn('reconcile writes in a loop: a change of the field wakes it, and it writes', facts)
  }

  /** What the last run wrote must show in the caches, or this one would repeat it. */
  async #catchUp(item: string, ended: AbortSignal): Promise<void> {
    const { controller, caches, clock, log } = this.#options
    const written = this.#writes.get(item)
    if (written === undefined) return
    this.#writes.delete(item)
    const limit = deadline(clock, ended, 0, catchUpMs)
    await Promise.all(
      written.flatMap((write) =>
        cachesOf(caches, write.kind).map((cache) => cache.waitForWrite(write, limit.signal)),
      ),
    )
    if (limit.signal.aborted)
      log.warn('cache is behind', { controller: controller.name, key: item })
    limit.end()
  }
}

function isGone({ kind, caches }: RunnerOptions, item: string): boolean {
  return kind !== undefined && caches.get(cacheName(kind))?.get(parseKey(item)) === undefined
}

/** The caches of all versions of a kind: a write through one version shows in each. */
function cachesOf(caches: Caches, kind: Kind): readonly CacheReader<ApiObject>[] {
  const prefix = `${resourceName(kind)}/`
  return [...caches].flatMap(([name, cache]) => (name.startsWith(prefix) ? [cache] : []))
}

/** One run, and what it wrote. Whatever is thrown on the way is a failed run. */
async function runOnce(
  { controller, client, declared, caches, clock, log, recorder, follow }: RunnerOptions,
  item: string,
  signal: AbortSignal,
  term: Term | undefined,
): Promise<{ readonly outcome: Outcome; readonly written: readonly Write[] }> {
  const { name } = controller
  const written: Write[] = []
  const held = { ...(term && { beforeWrite: () => term.assertHeld() }) }
  const context: KeyContext = {
    client: declared.scoped({
      signal,
      onWrite: (write) => written.push(write),
      ...held,
    }),
    clock,
    log,
    signal,
    term,
    event: (object, facts) => recorder.record(client.scoped(held), object, facts),
    cached: (kind) => cacheOf(name, caches, kind),
    watch: (kind, keys, scope, until) => follow(watching(kind, keys, scope), until) as never,
  }
  try {
    const outcome: unknown = await controller.reconcile(parseKey(item), context)
    return { outcome: isOutcome(outcome) ? outcome : failed(noOutcome(name, outcome)), written }
  } catch (error) {
    return { outcome: failed(error), written }
  }
}

function noOutcome(name: string, given: unknown): TypeError {
  const wanted = 'return done, again(ms), failed(error) or terminal(why)'
  return new TypeError(`reconcile of ${name} gave ${String(given)}: ${wanted}`)
}

/** How long a run may go on after its signal aborted before its worker leaves it. */
const settleMs = 5000

/** True if the run goes on `settleMs` after its signal aborted; false as soon as it has ended. */
function hangingRun(ended: Promise<void>, signal: AbortSignal, clock: Clock): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const leave = deadline(clock, signal, settleMs)
    leave.signal.addEventListener('abort', () => resolve(true), { once: true })
    ended.then(() => resolve(false), reject).finally(() => leave.end())
  })
}

/** The cache of a kind that a controller watches. */
export function cacheOf<K extends ApiObject>(
  controller: string,
  caches: Caches,
  kind: Kind<K>,
): CacheReader<K> {
  const cache = caches.get(cacheName(kind as AnyKind))
  invariant(cache, `${controller} reads ${kind.kind} without declaring that it does`)
  return cache as unknown as CacheReader<K>
}

function report(log: Log, outcome: Outcome): void {
  if (outcome.is === 'terminal') log.error('reconcile gave up', { why: outcome.why })
  if (outcome.is !== 'failed') return
  if (isStatus(outcome.error, 'Conflict')) log.debug('reconcile lost a race')
  else log.error('reconcile failed', {}, outcome.error)
}

/** An outcome in words that are kept after its objects. */
function wordsOf(outcome: Outcome): { readonly outcome: Outcome['is']; readonly why?: string } {
  if (outcome.is === 'done') return { outcome: 'done' }
  const { error, why } = outcome as { readonly error?: unknown; readonly why?: string }
  const words = outcome.is === 'failed' ? messageOf(error) : why
  return words === undefined ? { outcome: outcome.is } : { outcome: outcome.is, why: words }
}

/** Longest text of an error that is kept. */
const longestWhy = 500

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, longestWhy)
}

function workersOf({ concurrency = 4 }: KeyController): number {
  return concurrency
}

/** Gives the ids of runs, which all log lines of one have in common: a part by chance tells processes apart, a count the runs. */
export function createRunIds(random: Random): () => string {
  const part = Math.floor(random() * 36 ** 5).toString(36)
  let runs = 0
  return () => {
    runs += 1
    return `${part}-${runs.toString(36)}`
  }
}
