import type { Key } from '../../client/client.ts'
import type { CacheReader } from '../../informer/informer.ts'
import { type Clock, pause } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Cluster } from './cluster.ts'

/** What a source of events works with. */
export interface EventSourceContext {
  readonly clock: Clock
  /** Aborts when the controller no longer works: the events end then. */
  readonly signal: AbortSignal
  /** The cluster whose keys the events wake: a source runs once in each cluster in which its controller works. */
  readonly cluster: Cluster
  /** The cache of a kind that the controller watches. */
  cached<K extends ApiObject>(kind: Kind<K>): CacheReader<K>
}

/**
 * Events from outside of the server that wake a controller: a timer, a queue, requests of a web hook. Each event names the keys that
 * it wakes. A source that fails is begun again later; one that ends is over.
 *
 * @example
 * const source: EventSource = async function* ({ signal }) {
 *   for await (const [message] of on(queue, 'message', { signal })) yield [{ namespace: 'shop', name: message.id }]
 * }
 */
export type EventSource = (context: EventSourceContext) => AsyncIterable<readonly Key[]>

/**
 * Wakes keys in equal intervals: those that `keys` gives at that time.
 *
 * @throws RangeError for an interval without length or end.
 */
export function every(
  ms: number,
  keys: (context: EventSourceContext) => readonly Key[] | Promise<readonly Key[]>,
): EventSource {
  if (!(ms > 0 && ms < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`every(${ms}): milliseconds are a finite number above 0`)
  }
  return async function* (context) {
    const { clock, signal } = context
    while (!signal.aborted) {
      await pause(clock, ms, signal)
      if (!signal.aborted) yield await keys(context)
    }
  }
}
