import type { Client, Key, Selection } from '../client/client.ts'
import type { Term } from '../election/election.ts'
import type { CacheReader } from '../informer/informer.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { AnyKind, Kind } from '../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import type { EventFacts } from '../recorder/recorder.ts'
import type { Outcome } from './outcome.ts'

/** What a run over a key works with. Everything in it ends with `signal`: at the run's deadline, or on shutdown. */
export interface KeyContext {
  /** Reads and writes at the server. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /**
   * The term in which the run works, where its manager elects a leader. `client` writes only while it is held; what is written to other
   * systems asks `term.assertHeld()` first, or carries `term.token`.
   */
  readonly term: Term | undefined
  /**
   * Records what was done to an object, for those who look at it (`kubectl describe` shows it). Returns at once and never fails; equal events are
   * one with a count.
   */
  event(object: Stored<ApiObject>, event: EventFacts): void
  /** The cache of a kind that the controller watches. */
  cached<K extends ApiObject>(kind: Kind<K>): CacheReader<K>
}

/** Which objects of a kind are watched, and how much of them is cached. */
export interface WatchScope<K extends ApiObject = ApiObject> extends Selection {
  /** Default: the namespace of the manager, or all of them. */
  readonly namespace?: string
  /** What the cache keeps of an object: at least its name, namespace, uid and resourceVersion. Default: all of it. */
  readonly transform?: (object: Stored<K>) => Stored<K>
}

/** Objects that wake a controller, and the keys that they wake. */
export interface Watch extends WatchScope {
  readonly kind: AnyKind
  readonly keys: (object: Stored<ApiObject>) => readonly Key[]
}

/**
 * A control loop over keys, for what is not one object's business: an object that must exist, a set of objects that is
 * kept as a whole, a periodic task. Most loops are over objects: `defineController`.
 */
export interface KeyController {
  /** Names the controller in logs and metrics. */
  readonly name: string
  readonly watches?: readonly Watch[]
  /** Further kinds that it reads through `client`, beside those that it watches. */
  readonly reads?: readonly AnyKind[]
  /** Further kinds that it writes through `client`, and may read. */
  readonly writes?: readonly AnyKind[]
  /** Keys that are reconciled at the start, whether or not an object wakes them. */
  readonly seeds?: readonly Key[]
  /** Runs at a time, over different keys. Default 4. */
  readonly concurrency?: number
  /** Milliseconds that one run may take before its signal aborts. Default one minute. */
  readonly timeoutMs?: number
  /** Brings the world to what `key` asks for. The object of the key may be missing, or be about to go. */
  reconcile(key: Key, context: KeyContext): Promise<Outcome>
}

/**
 * Wakes a controller when objects of `kind` change: `keys` says which keys of its own. A change wakes the keys of the
 * object as it was and as it is.
 *
 * @example watches: [watching(secrets, ({ metadata }) => [{ ...metadata, name: metadata.labels?.['web.example.com/site'] ?? '' }])]
 */
export function watching<K extends ApiObject>(
  kind: Kind<K>,
  keys: (object: Stored<K>) => readonly Key[],
  scope: WatchScope<K> = {},
): Watch {
  return { ...(scope as unknown as WatchScope), kind, keys: keys as Watch['keys'] }
}
