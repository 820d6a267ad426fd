import type { Resource, Selection, WatchEvent } from '../client/client.ts'
import {
  type Clock,
  keepAlive,
  pause,
  type Random,
  systemClock,
  systemRandom,
} from '../kernel/async/clock.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import { type Cache, type CacheReader, createCache, type Indexers } from './cache.ts'
import { type InformerState, type InformerStep, nextState, retryDelayMs } from './informer-state.ts'
import { formatKey, objectKey } from './object-key.ts'

/** Hears of changes after the cache has them. `initial` is true for what the first list found. */
export interface ResourceEventHandler<T extends ApiObject> {
  added?(object: Stored<T>, initial: boolean): void
  updated?(object: Stored<T>, before: Stored<T>): void
  /** `object` is the last state that was seen. */
  deleted?(object: Stored<T>): void
}

export interface InformerOptions<T extends ApiObject> extends Selection {
  readonly indexers?: Indexers<T>
  readonly log?: Log
  readonly clock?: Clock
  readonly random?: Random
}

export interface Informer<T extends ApiObject> {
  readonly cache: CacheReader<T>
  readonly state: InformerState['at']
  /** Resolves when the first list is in the cache and its handlers have run. */
  readonly synced: Promise<void>
  /** Adds a handler, which hears first of what the cache already has. The returned function takes it off again. */
  on(handler: ResourceEventHandler<T>): () => void
  /** Follows the server until `signal` aborts. Runs once. */
  run(signal: AbortSignal): Promise<void>
}

/** An informer over a resource: over one namespace if the resource is bound to one. Nothing is sent before `run`. */
export function createInformer<T extends ApiObject>(
  resource: Resource<T>,
  options: InformerOptions<T> = {},
): Informer<T> {
  const { clock = systemClock, random = systemRandom, log = silentLog, indexers } = options
  const { labelSelector, fieldSelector } = options
  const selection = {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  }
  const cache: Cache<T> = createCache(indexers)
  const handlers = new Set<ResourceEventHandler<T>>()
  const { promise: synced, resolve: sync } = deferred()
  const kind = resource.kind.kind
  let state: InformerState = { at: 'empty', failures: 0 }
  let initial = true

  return {
    cache,
    synced,
    get state() {
      return state.at
    },
    on(handler) {
      for (const object of cache.list()) tell(handler, (it) => it.added?.(object, initial))
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    async run(signal) {
      const release = keepAlive()
      while (!signal.aborted) {
        await pause(clock, retryDelayMs(state, random), signal)
        if (signal.aborted) break
        if (state.at === 'watching') await watch(state.revision, signal)
        else await list(signal)
      }
      release()
    },
  }

  function step(taken: InformerStep): void {
    state = nextState(state, taken)
    if (taken.is !== 'failed') return
    const cause = taken.error instanceof Error ? taken.error.message : String(taken.error)
    log.warn('informer failed', { kind, state: state.at, failures: state.failures, cause })
  }

  async function list(signal: AbortSignal): Promise<void> {
    step({ is: 'began' })
    try {
      const { items, resourceVersion } = await resource.listAll(selection, signal)
      replace(items, resourceVersion)
      step({ is: 'listed', revision: resourceVersion })
      initial = false
      sync()
    } catch (error) {
      if (!signal.aborted) step({ is: 'failed', error })
    }
  }

  /** Watches for five to ten minutes; a connection that died without a word is given up a little later. */
  async function watch(revision: string, signal: AbortSignal): Promise<void> {
    const timeoutSeconds = Math.round(300 * (1 + random()))
    const deadline = new AbortController()
    const cancel = clock.after((timeoutSeconds + 30) * 1000, () => deadline.abort())
    const options = { ...selection, resourceVersion: revision, bookmarks: true, timeoutSeconds }
    const either = AbortSignal.any([signal, deadline.signal])
    try {
      for await (const event of resource.watch(options, either)) {
        change(event)
        step({ is: 'saw', revision: event.object.metadata.resourceVersion })
      }
      step({ is: 'ended' })
    } catch (error) {
      step({ is: 'failed', error })
    } finally {
      cancel()
    }
  }

  function replace(items: readonly Stored<T>[], revision: string): void {
    const present = new Set(items.map((object) => formatKey(objectKey(object))))
    for (const object of cache.list()) {
      if (!present.has(formatKey(objectKey(object)))) removed(object)
    }
    for (const object of items) put(object)
    cache.advance(revision)
  }

  function change({ type, object }: WatchEvent<T>): void {
    if (type === 'DELETED') removed(object)
    else if (type !== 'BOOKMARK') put(object)
    cache.advance(object.metadata.resourceVersion)
  }

  /** One name may have passed to another object unseen: the old one is told as deleted first. */
  function put(object: Stored<T>): void {
    const before = cache.get(objectKey(object))
    if (before !== undefined && before.metadata.uid !== object.metadata.uid) removed(before)
    else if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return
    const replaced = cache.set(object)
    tellAll((it) =>
      replaced === undefined ? it.added?.(object, initial) : it.updated?.(object, replaced),
    )
  }

  function removed(object: Stored<T>): void {
    if (cache.remove(object) !== undefined) tellAll((it) => it.deleted?.(object))
  }

  function tellAll(event: (handler: ResourceEventHandler<T>) => void): void {
    for (const handler of handlers) tell(handler, event)
  }

  function tell(
    handler: ResourceEventHandler<T>,
    event: (handler: ResourceEventHandler<T>) => void,
  ): void {
    try {
      event(handler)
    } catch (error) {
      log.error('informer handler threw', { kind }, error)
    }
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
