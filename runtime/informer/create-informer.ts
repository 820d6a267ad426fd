import type { List, Resource, Selection, WatchEvent } from '../client/client.ts'
import {
  type Clock,
  keepAlive,
  type Random,
  systemClock,
  systemRandom,
} from '../kernel/async/clock.ts'
import { deferred } from '../kernel/async/deferred.ts'
import type { StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import { type Cache, type CacheReader, createCache, hasReached, type Indexers } from './cache.ts'
import { Handlers, type ResourceEventHandler } from './handlers.ts'
import type { InformerState } from './informer-state.ts'
import { formatKey, objectKey } from './object-key.ts'
import { Reflector, type ReflectorTarget } from './reflector.ts'

/** What an informer watches, and what it keeps. */
export interface InformerOptions<T extends ApiObject> extends Selection {
  /** Named functions by whose values objects are found. Default: none. */
  readonly indexers?: Indexers<T>
  /**
   * What the cache keeps of an object, and handlers hear of: at least its name, namespace, uid and resourceVersion.
   * Default: all of it.
   */
  readonly transform?: (object: Stored<T>) => Stored<T>
  /** Requests and keeps the metadata of objects only. Default false. */
  readonly metadataOnly?: boolean
  /** Default: nothing is logged. */
  readonly log?: Log
  readonly clock?: Clock
  readonly random?: Random
  /** Hears of a list that fails as the next one will: the kind is not served, or not to this user. It is tried again all the same. */
  readonly onRefused?: (error: StatusError) => void
  /** Whether the process stays alive while the informer runs. Default true. */
  readonly keepAlive?: boolean
}

/** A cache that follows the server. */
export interface Informer<T extends ApiObject> {
  readonly cache: CacheReader<T>
  readonly state: InformerState['at']
  /** Resolves when the first list is in the cache and its handlers have run. */
  readonly synced: Promise<void>
  /** Adds a handler, which first hears of what the cache already has. The returned function takes it off again. */
  on(handler: ResourceEventHandler<T>): () => void
  /** Adds an index to the cache. */
  addIndex(name: string, valuesOf: (object: Stored<T>) => readonly string[]): void
  /**
   * Brings what a write gave into the cache, and to the handlers, ahead of the watch, unless the cache has that state or a later
   * one. Only for objects that the informer would see.
   */
  show(object: Stored<T>): void
  /** Follows the server until `signal` aborts. Runs once. */
  run(signal: AbortSignal): Promise<void>
}

/** An informer over a resource: over one namespace if the resource is bound to one. Nothing is sent before `run`. */
export function createInformer<T extends ApiObject>(
  resource: Resource<T>,
  options: InformerOptions<T> = {},
): Informer<T> {
  const { clock = systemClock, random = systemRandom, log = silentLog } = options
  const { indexers, transform = (object) => object } = options
  const { labelSelector, fieldSelector, metadataOnly } = options
  const cache: Cache<T> = createCache(indexers)
  const handlers = new Handlers<T>(resource.kind.kind, log)
  const { promise: synced, resolve: markSynced } = deferred()
  const target = new CacheUpdates(cache, handlers, markSynced)
  const selection = {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(metadataOnly && { metadataOnly }),
  }
  const { onRefused } = options
  const reflector = new Reflector({
    ...{ resource, selection, transform, target, clock, random, log },
    ...(onRefused !== undefined && { onRefused }),
  })

  return {
    cache,
    synced,
    get state() {
      return reflector.state
    },
    addIndex: (name, valuesOf) => cache.addIndex(name, valuesOf),
    show: (object) => target.show(transform(object)),
    on: (handler) => handlers.add(handler, cache.list(), target.initial),
    async run(signal) {
      const release = options.keepAlive === false ? () => {} : keepAlive()
      await reflector.run(signal)
      release()
    },
  }
}

/** Brings what a reflector tells into the cache, then tells the handlers. */
class CacheUpdates<T extends ApiObject> implements ReflectorTarget<T> {
  readonly #cache: Cache<T>
  readonly #handlers: Handlers<T>
  readonly #markSynced: () => void
  /** True until the first list is in the cache. */
  initial = true

  constructor(cache: Cache<T>, handlers: Handlers<T>, markSynced: () => void) {
    this.#cache = cache
    this.#handlers = handlers
    this.#markSynced = markSynced
  }

  replace({ items, resourceVersion }: List<T>): void {
    const present = new Set(items.map((object) => formatKey(objectKey(object))))
    for (const object of this.#cache.list()) {
      if (!present.has(formatKey(objectKey(object)))) this.#remove(object)
    }
    for (const object of items) {
      const { resourceVersion: cached } = this.#cache.get(objectKey(object))?.metadata ?? {}
      if (cached !== object.metadata.resourceVersion) this.#set(object)
    }
    this.#cache.advance(resourceVersion)
    this.initial = false
    this.#markSynced()
  }

  apply({ type, object }: WatchEvent<T>): void {
    if (type === 'DELETED') this.#removeUnlessLater(object)
    else if (type !== 'BOOKMARK') this.#setUnlessEarlier(object)
    this.#cache.advance(object.metadata.resourceVersion)
  }

  /** A state ahead of the watch: the cache is complete up to its revision, so that only a later one is news. */
  show(object: Stored<T>): void {
    const { resourceVersion } = object.metadata
    if (this.initial || hasReached(this.#cache.revision, resourceVersion)) return
    this.#setUnlessEarlier(object)
    this.#cache.advance(this.#cache.revision)
  }

  #setUnlessEarlier(received: Stored<T>): void {
    const cached = this.#cache.get(objectKey(received))
    if (cached === undefined || !isAhead(cached, received)) this.#set(received)
  }

  /** One name may have passed to another object unseen: the old one is deleted first. */
  #set(received: Stored<T>): void {
    const before = this.#cache.get(objectKey(received))
    if (before !== undefined && before.metadata.uid !== received.metadata.uid) this.#remove(before)
    const replaced = this.#cache.set(received)
    if (replaced === undefined) this.#handlers.added(received, this.initial)
    else this.#handlers.updated(received, replaced)
  }

  /** The deletion may be that of an earlier object of its name, where the later one was shown ahead of the watch. */
  #removeUnlessLater(object: Stored<T>): void {
    const cached = this.#cache.get(objectKey(object))
    if (cached === undefined) return
    const isOther = cached.metadata.uid !== object.metadata.uid
    if (!isOther || !isAhead(cached, object)) this.#remove(object)
  }

  #remove(object: Stored<T>): void {
    if (this.#cache.remove(object) !== undefined) this.#handlers.deleted(object)
  }
}

/** True if what is cached is the received state, or a later one that was shown ahead of the watch. */
function isAhead(
  { metadata: { resourceVersion: cached } }: Stored<ApiObject>,
  { metadata: { resourceVersion: received } }: Stored<ApiObject>,
): boolean {
  return cached === received || Number(cached) > Number(received)
}
