import type { Client, Write } from '../client/client.ts'
import { parseKey } from '../informer/informer.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { resourceName } from '../kernel/descriptors/kind.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import type { Caches } from './context.ts'
import type { Controller } from './controller.ts'
import { type ControllerStats, createRunCounter } from './controller-stats.ts'
import { deadline } from './deadline.ts'
import type { Outcome } from './outcome.ts'
import type { Queue } from './queue.ts'
import { reconcileOnce } from './reconcile-once.ts'

export interface RunnerOptions<T extends ApiObject> {
  readonly controller: Controller<T>
  readonly client: Client
  readonly queue: Queue
  readonly clock: Clock
  readonly log: Log
  /** The caches of what the controller declared. */
  readonly caches: Caches
  /** How long runs under way may go on after the end was asked for. */
  readonly drainMs: number
}

export interface Runner {
  /** Works the queue until `signal` aborts and the runs under way are through. */
  run(signal: AbortSignal): Promise<void>
  stats(): ControllerStats
}

const catchUpMs = 5000

/** Runs one controller over one queue. */
export function createRunner<T extends ApiObject>(options: RunnerOptions<T>): Runner {
  const { controller, queue, clock, log, caches, client, drainMs } = options
  const { name, for: kind, concurrency = 4, timeoutMs = 60_000 } = controller
  const counter = createRunCounter()
  const writes = new Map<string, readonly Write[]>()

  return {
    async run(signal) {
      const drained = deadline(clock, signal, drainMs)
      const workers = Array.from({ length: concurrency }, () => work(signal, drained.signal))
      await Promise.all(workers)
      drained.end()
      queue.close()
    },
    stats: () => ({ ...counter.read(), depth: queue.depth, delayed: queue.delayed }),
  }

  async function work(signal: AbortSignal, drained: AbortSignal): Promise<void> {
    for (let item = await queue.take(signal); item !== undefined; item = await queue.take(signal)) {
      await turn(item, drained)
      queue.finish(item)
    }
  }

  async function turn(item: string, drained: AbortSignal): Promise<void> {
    await catchUp(item, drained)
    const object = caches.get(resourceName(kind))?.get(parseKey(item)) as Stored<T> | undefined
    if (object === undefined) return queue.forget(item)
    const finish = counter.begin(clock.now())
    const outcome = await limited(item, object, drained)
    finish(outcome, clock.now())
    follow(item, outcome)
  }

  /** What the last run wrote must show in the caches, or this one would repeat it. */
  async function catchUp(item: string, drained: AbortSignal): Promise<void> {
    const last = writes.get(item)
    if (last === undefined) return
    writes.delete(item)
    const limit = deadline(clock, drained, 0, catchUpMs)
    const shown = last.map((it) =>
      caches.get(resourceName(it.kind))?.waitForWrite(it, limit.signal),
    )
    await Promise.all(shown)
    if (limit.signal.aborted) log.warn('cache is behind', { controller: name, key: item })
    limit.end()
  }

  async function limited(item: string, object: Stored<T>, drained: AbortSignal): Promise<Outcome> {
    const { signal, end } = deadline(clock, drained, 0, timeoutMs)
    const wrote = (write: Write): void => {
      writes.set(item, [...(writes.get(item) ?? []), write])
    }
    const scoped = client.scoped({ signal, onWrite: wrote })
    const outcome = await reconcileOnce(controller, object, {
      controller: name,
      caches,
      clock,
      log,
      client: scoped,
      signal,
    })
    end()
    return outcome
  }

  function follow(item: string, outcome: Outcome): void {
    const facts = { controller: name, key: item }
    if (outcome.is === 'failed') queue.retry(item)
    else queue.forget(item)
    if (outcome.is === 'again') queue.addAfter(item, outcome.ms)
    report(log, facts, outcome)
  }
}

function report(log: Log, facts: { controller: string; key: string }, outcome: Outcome): void {
  if (outcome.is === 'terminal') log.error('reconcile gave up', { ...facts, why: outcome.why })
  if (outcome.is !== 'failed') return
  if (isStatus(outcome.error, 'Conflict')) log.debug('reconcile lost a race', facts)
  else log.error('reconcile failed', facts, outcome.error)
}
