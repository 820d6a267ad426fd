import type { Client, Key, Selection } from '../../client/client.ts'
import type { Term } from '../../election/election.ts'
import type { CacheReader } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { AnyKind, Kind, ScalableKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import type { EventFacts } from '../../recorder/recorder.ts'
import type { Change } from '../changes/cause.ts'
import { type FieldPath, metadataOf, projectionOf } from '../changes/field-paths.ts'
import type { QueueOptions } from '../queue/queue.ts'
import type { QueuePriority } from '../queue/ready-keys.ts'
import type { Cluster, ClusterKey } from './cluster.ts'
import type { EventSource } from './event-source.ts'
import type { Outcome } from './outcome.ts'
import type { Written } from './writing.ts'

/** What a controller may say of its own queue. */
export type ControllerQueue = Omit<QueueOptions, 'clock' | 'metrics' | 'name'>

/** What a run over a key works with. Everything in it ends with `signal`: at the run's deadline, or on shutdown. */
export interface KeyContext {
  /** Reads and writes at the server of the key's cluster. */
  readonly client: Client
  /** The cluster of the key. */
  readonly cluster: Cluster
  /**
   * Another cluster of the manager: its client, which writes on the same conditions as `client`, and its caches.
   *
   * @throws RangeError for a cluster that the manager does not work with (any more), StatusError `ServiceUnavailable` for one whose caches
   * are not filled yet.
   */
  at(cluster: Cluster): ClusterView
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Milliseconds that another key of the controller has been waiting for a worker, the one that has waited longest; 0 if none waits. */
  othersWaitMs(): number
  /**
   * Gives the worker of this run to another key; the run goes on beside it, and its own key stays with it. It is for a run that from now on does little but wait for
   * the server: `concurrency` no longer counts it.
   */
  freeWorker(): void
  /**
   * The term in which the run works, where its manager elects a leader or shares its keys. `client` writes only while it is held; what is written to other
   * systems asks `term.assertHeld()` first, or carries `term.token`.
   */
  readonly term: Term | undefined
  /**
   * Records what was done to an object, for those who look at it (`kubectl describe` shows it). Returns at once and never fails; equal events are
   * one with a count.
   */
  event(object: Stored<ApiObject>, event: EventFacts): void
  /** The cache of a kind that the controller watches. It shows what this program wrote as soon as it is written. */
  cached<K extends ApiObject>(kind: Kind<K>): CacheReader<K>
  /**
   * Watches further objects from now on, until `signal` aborts; gives their cache when it is filled. What is watched already, in
   * the same scope, is not watched twice, and is watched until the last signal of those who asked for it aborts.
   */
  watch<K extends ApiObject>(
    kind: Kind<K>,
    keys: KeysOf<K>,
    scope: WatchScope<K>,
    signal: AbortSignal,
  ): Promise<CacheReader<K>>
}

/** A cluster, as a run over a key of another one sees it. */
export type ClusterView = Pick<KeyContext, 'client' | 'cached'>

/** Reads the caches of what a controller watches in the cluster of an object, which it names. */
export type Lookup = Pick<KeyContext, 'cached' | 'cluster'>

/** What an object is found by: the value at a path, or the values that a function gives. */
export type Indexes<K extends ApiObject = ApiObject> = Readonly<
  Record<string, FieldPath<K> | ((object: Stored<K>) => readonly string[])>
>

/** Which objects of a kind wake a controller, and when. */
export interface WakeScope<K extends ApiObject = ApiObject> extends Selection {
  /** Default: the namespaces of the manager, or all of them. */
  readonly namespace?: string
  /** Several namespaces, in place of one: each is listed and watched by itself. */
  readonly namespaces?: readonly string[]
  /**
   * The fields that the controller reads: a change of anything else does not wake it. An object that appears, begins to be deleted
   * or goes always does. `metadata.generation` is any change of what is asked for.
   */
  readonly fields?: readonly FieldPath<K>[]
  /** Only objects for which it holds, or held before a change, wake the controller. */
  readonly where?: (object: Stored<K>) => boolean
  /** Only changes for which it holds wake the controller: a controller of what goes does not care for what comes. */
  readonly when?: (change: Change<K>) => boolean
  /** What objects are found by in the cache: `cached(kind).index(name, value)`. */
  readonly indexes?: Indexes<K>
  /** `routine` work waits for `urgent` work, which is the default for a change; every eighth turn is its own. */
  readonly priority?: QueuePriority
}

/**
 * Which objects of a kind are watched, and how much of them is cached: where `fields` are named, only these and the identity, unless another
 * watch of the manager keeps the whole of the same objects, whose cache is shared then.
 */
export interface WatchScope<K extends ApiObject = ApiObject> extends WakeScope<K> {
  /**
   * In which clusters it is watched. Default: those in which the controller works. Where a watch says so, each cluster that comes or goes wakes
   * all keys of its controller.
   */
  readonly clusters?: (cluster: Cluster) => boolean
  /** Requests and caches the metadata of objects only, of whatever size they are; their wholes, where another watch of the manager has these. */
  readonly metadataOnly?: boolean
  /** What the cache keeps of an object: at least its name, namespace, uid and resourceVersion. Default: all of it. */
  readonly transform?: (object: Stored<K>) => Stored<K>
}

/**
 * The keys that an object wakes: of its own cluster, or of those that they name. It may look into the caches of the controller, and take its
 * time.
 */
export type KeysOf<K extends ApiObject = ApiObject> = (
  object: Stored<K>,
  lookup: Lookup,
) => readonly (Key | ClusterKey)[] | Promise<readonly (Key | ClusterKey)[]>

/** Objects that wake a controller, and the keys that they wake. */
export interface Watch extends Omit<WatchScope, 'fields' | 'indexes' | 'when'> {
  readonly kind: AnyKind
  readonly keys: KeysOf
  readonly fields?: readonly string[]
  readonly when?: (change: Change) => boolean
  readonly indexes?: Readonly<
    Record<string, string | ((object: Stored<ApiObject>) => readonly string[])>
  >
}

/**
 * A control loop over keys, for what is not one object's business: an object that must exist, a set of objects that is
 * kept as a whole, a periodic task. Most loops are over objects: `defineController`.
 */
export interface KeyController {
  /** Names the controller in logs and metrics. */
  readonly name: string
  /** The source of the events that it records. Default: its name. */
  readonly component?: string
  /** The clusters whose keys it works on. Default: all of its manager's. */
  readonly clusters?: (cluster: Cluster) => boolean
  readonly watches?: readonly Watch[]
  /** Further kinds that it reads through `client`, beside those that it watches. */
  readonly reads?: readonly AnyKind[]
  /** Further kinds that it writes through `client`, and may read; with `writing` some fields of one. */
  readonly writes?: readonly Written[]
  /** Further kinds whose scale it writes, and no other part of them. */
  readonly scales?: readonly ScalableKind[]
  /** Keys that are reconciled at the start, whether or not an object wakes them. */
  readonly seeds?: readonly Key[]
  /** Runs at a time, over different keys. Default 4. */
  readonly concurrency?: number
  /**
   * Milliseconds that one run may take before its signal aborts, counted anew from each write that the server answered, and ten times as many
   * in all. Default one minute.
   */
  readonly timeoutMs?: number
  /** Events from elsewhere that wake keys: see `every` and `EventSource`. */
  readonly sources?: readonly EventSource[]
  /** Milliseconds after a run that was done when the key is looked at again, give or take a fifth. Default: never. */
  readonly resyncMs?: number
  /** How its queue waits, in place of what the manager says. */
  readonly queue?: ControllerQueue
  /** Brings the world to what `key` asks for. The object of the key may be missing, or be about to go. */
  reconcile(key: Key, context: KeyContext): Promise<Outcome>
}

/**
 * Wakes a controller when objects of `kind` change: `keys` says which keys of its own. A change wakes the keys of the
 * object as it was and as it is. Where `keys` throws or rejects it is asked again later: no change is lost.
 *
 * @example watches: [watching(secrets, ({ metadata }) => [{ ...metadata, name: metadata.labels?.['web.example.com/site'] ?? '' }])]
 */
export function watching<K extends ApiObject>(
  kind: Kind<K>,
  keys: KeysOf<K>,
  scope: WatchScope<K> = {},
): Watch {
  const { fields, metadataOnly, transform = fields && projectionOf(fields) } = scope
  return {
    ...(scope as object),
    ...{ kind, keys: keys as unknown as KeysOf },
    ...(metadataOnly
      ? { transform: metadataOf }
      : transform && { transform: transform as unknown as Watch['transform'] }),
  } as Watch
}
