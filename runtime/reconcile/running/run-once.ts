import type { Client, Write } from '../../client/client.ts'
import type { Term } from '../../election/election.ts'
import { type CacheReader, parseKey } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import type { Recorder } from '../../recorder/recorder.ts'
import type { Cluster } from '../controller/cluster.ts'
import {
  type KeyContext,
  type KeyController,
  type Watch,
  watching,
} from '../controller/key-controller.ts'
import { failed, isOutcome, type Outcome } from '../controller/outcome.ts'
import { type Caches, cacheOf } from '../watching/controller-caches.ts'

/** What a controller works with in a cluster that is not that of its key. */
export interface Elsewhere {
  /** True once every cache there has its first list. */
  readonly synced: boolean
  readonly declared: Client
  readonly caches: Caches
}

/** What the runs of one controller have in common. */
export interface RunOptions {
  readonly controller: KeyController
  readonly client: Client
  /** The same client, for the kinds that the controller says it uses. */
  readonly declared: Client
  readonly recorder: Recorder
  readonly clock: Clock
  readonly log: Log
  readonly caches: Caches
  readonly cluster: Cluster
  /** The client and the caches of the controller in another cluster; undefined where it has none. */
  readonly elsewhere: (cluster: Cluster) => Elsewhere | undefined
  /** Watches further objects until the signal aborts. */
  readonly follow: (watch: Watch, signal: AbortSignal) => Promise<CacheReader<ApiObject>>
  /** Hears of each write that was answered. */
  readonly progressed: () => void
  /** How long another key of the controller has been waiting for a worker. */
  readonly othersWaitMs: () => number
  /** Lets a worker go on with another key. */
  readonly freeWorker: () => void
}

/** One run, and what it wrote. Whatever is thrown on the way is a failed run. */
export async function runOnce(
  options: RunOptions,
  item: string,
  signal: AbortSignal,
  term: Term | undefined,
): Promise<{ readonly outcome: Outcome; readonly written: readonly Write[] }> {
  const { controller, client, declared, caches, clock, log, recorder, follow, cluster } = options
  const { name } = controller
  const written: Write[] = []
  const held = { ...(term && { beforeWrite: () => term.assertHeld() }) }
  const context: KeyContext = {
    client: declared.scoped({
      signal,
      onWrite(write) {
        written.push(write)
        options.progressed()
      },
      ...held,
    }),
    ...{ cluster, clock, log, signal, term },
    ...{ othersWaitMs: options.othersWaitMs, freeWorker: options.freeWorker },
    at(other) {
      if (other === cluster) return { client: context.client, cached: context.cached }
      const { declared, caches } = elsewhereOf(options, other)
      return {
        client: declared.scoped({ signal, onWrite: options.progressed, ...held }),
        cached: (kind) => cacheOf(name, caches, kind),
      }
    },
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

/**
 * @throws RangeError for a cluster that is not the manager's, StatusError for one whose caches say nothing yet: an empty one would be
 * taken for an empty cluster.
 */
function elsewhereOf({ controller, elsewhere }: RunOptions, cluster: Cluster): Elsewhere {
  const found = elsewhere(cluster)
  if (found?.synced) return found
  const what = `${controller.name}: cluster ${cluster.name || '""'}`
  if (found === undefined) throw new RangeError(`${what} is not one of its manager's now`)
  throw new StatusError('ServiceUnavailable', `${what} has not answered yet: its caches are empty`)
}

function noOutcome(name: string, given: unknown): TypeError {
  const wanted = 'return done, again(ms), failed(error) or terminal(why)'
  return new TypeError(`reconcile of ${name} gave ${String(given)}: ${wanted}`)
}
