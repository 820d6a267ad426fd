import type { Key, Write } from '../client/client.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { formatKey, objectKey } from './object-key.ts'

/** Named functions that give the values an object is found by: `{ node: (pod) => [pod.spec?.nodeName ?? ''] }`. */
export type Indexers<T extends ApiObject> = Readonly<
  Record<string, (object: Stored<T>) => readonly string[]>
>

/** A cache as its readers see it. Objects are shared: they must not be changed, and their types do not allow it. */
export interface CacheReader<T extends ApiObject> {
  /** The object of a key; undefined if there is none. */
  get(key: Key): Stored<T> | undefined
  /** Objects of one namespace, or all of them, in no particular order. */
  list(namespace?: string): readonly Stored<T>[]
  /** Objects that have `value` among the values of the indexer called `index`. */
  index(index: string, value: string): readonly Stored<T>[]
  /** How many objects there are. */
  readonly size: number
  /** The resourceVersion up to which the cache is complete; empty before the first list. */
  readonly revision: string
  /** Resolves once the cache shows what `write` did, or when `signal` aborts. */
  waitForWrite(write: Write, signal: AbortSignal): Promise<void>
}

/** A cache as its informer fills it. Each change returns what was there before. */
export interface Cache<T extends ApiObject> extends CacheReader<T> {
  set(object: Stored<T>): Stored<T> | undefined
  remove(object: Stored<T>): Stored<T> | undefined
  /** The cache is complete up to a resourceVersion now: after a list, an event or a bookmark. */
  advance(revision: string): void
}

interface WriteWaiter {
  readonly write: Write
  readonly resolve: () => void
}

/** An empty cache with the given indexes. */
export function createCache<T extends ApiObject>(indexers: Indexers<T> = {}): Cache<T> {
  const objects = new Map<string, Stored<T>>()
  const indices = new Map(
    Object.entries(indexers).map(([name, values]) => [name, createIndex(values)] as const),
  )
  const waiting = new Set<WriteWaiter>()
  let revision = ''

  return {
    get: (key) => objects.get(formatKey(key)),
    list(namespace) {
      const all = [...objects.values()]
      return namespace === undefined
        ? all
        : all.filter((object) => object.metadata.namespace === namespace)
    },
    index(name, value) {
      const index = indices.get(name)
      invariant(index, `no index is called ${name}`)
      return index.find(value)
    },
    get size() {
      return objects.size
    },
    get revision() {
      return revision
    },

    set(object) {
      const key = formatKey(objectKey(object))
      const before = objects.get(key)
      objects.set(key, object)
      for (const index of indices.values()) index.move(key, before, object)
      return before
    },
    remove(object) {
      const key = formatKey(objectKey(object))
      const before = objects.get(key)
      objects.delete(key)
      for (const index of indices.values()) index.move(key, before, undefined)
      return before
    },
    advance(to) {
      revision = to
      for (const waiter of waiting) if (shows(waiter.write)) waiter.resolve()
    },

    waitForWrite(write, signal) {
      if (shows(write) || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const waiter = { write, resolve: finish }
        waiting.add(waiter)
        signal.addEventListener('abort', finish, { once: true })
        function finish(): void {
          waiting.delete(waiter)
          signal.removeEventListener('abort', finish)
          resolve()
        }
      })
    },
  }

  function shows({ namespace, name, uid, resourceVersion }: Write): boolean {
    if (resourceVersion !== undefined) return hasReached(revision, resourceVersion)
    const left = objects.get(formatKey(namespace === undefined ? { name } : { namespace, name }))
    return left === undefined || left.metadata.uid !== uid || isTerminating(left)
  }
}

/** Revisions of one server are ordered numbers written as text. */
function hasReached(revision: string, wanted: string): boolean {
  return revision !== '' && Number(revision) >= Number(wanted)
}

function isTerminating(object: ApiObject): boolean {
  return object.metadata.deletionTimestamp !== undefined
}

interface Index<T> {
  find(value: string): readonly T[]
  move(key: string, before: T | undefined, after: T | undefined): void
}

function createIndex<T>(valuesOf: (object: T) => readonly string[]): Index<T> {
  const found = new Map<string, Map<string, T>>()
  return {
    find: (value) => [...(found.get(value)?.values() ?? [])],
    move(key, before, after) {
      for (const value of before === undefined ? [] : valuesOf(before)) drop(value, key)
      for (const value of after === undefined ? [] : valuesOf(after)) put(value, key, after as T)
    },
  }

  function put(value: string, key: string, object: T): void {
    const objects = found.get(value) ?? new Map<string, T>()
    found.set(value, objects.set(key, object))
  }

  function drop(value: string, key: string): void {
    const objects = found.get(value)
    objects?.delete(key)
    if (objects?.size === 0) found.delete(value)
  }
}
