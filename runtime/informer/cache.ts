import type { Key, Write } from '../client/client.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { ObjectIndex } from './object-index.ts'
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
  /** Adds an index, over what is there and what comes. One of the same name takes the place of the other. */
  addIndex(name: string, valuesOf: (object: Stored<T>) => readonly string[]): void
  /** The cache is complete up to a resourceVersion now: after a list, an event or a bookmark. */
  advance(revision: string): void
}

interface WriteWaiter {
  readonly write: Write
  readonly resolve: () => void
}

/** An empty cache with the given indexes. */
export function createCache<T extends ApiObject>(indexers: Indexers<T> = {}): Cache<T> {
  return new ObjectCache(indexers)
}

class ObjectCache<T extends ApiObject> implements Cache<T> {
  readonly #objects = new Map<string, Stored<T>>()
  readonly #indexes = new Map<string, ObjectIndex<Stored<T>>>()
  readonly #waiting = new Set<WriteWaiter>()
  #revision = ''

  constructor(indexers: Indexers<T>) {
    for (const [name, valuesOf] of Object.entries(indexers)) this.addIndex(name, valuesOf)
  }

  get size(): number {
    return this.#objects.size
  }

  get revision(): string {
    return this.#revision
  }

  get(key: Key): Stored<T> | undefined {
    return this.#objects.get(formatKey(key))
  }

  list(namespace?: string): readonly Stored<T>[] {
    const all = [...this.#objects.values()]
    return namespace === undefined
      ? all
      : all.filter((object) => object.metadata.namespace === namespace)
  }

  index(name: string, value: string): readonly Stored<T>[] {
    const index = this.#indexes.get(name)
    const names = [...this.#indexes.keys()].join(', ')
    invariant(index, `no index is called ${name}: there is ${names || 'none'}`)
    return index.find(value)
  }

  set(object: Stored<T>): Stored<T> | undefined {
    const key = formatKey(objectKey(object))
    const before = this.#objects.get(key)
    this.#objects.set(key, object)
    for (const index of this.#indexes.values()) index.move(key, before, object)
    return before
  }

  remove(object: Stored<T>): Stored<T> | undefined {
    const key = formatKey(objectKey(object))
    const before = this.#objects.get(key)
    this.#objects.delete(key)
    for (const index of this.#indexes.values()) index.move(key, before, undefined)
    return before
  }

  addIndex(name: string, valuesOf: (object: Stored<T>) => readonly string[]): void {
    const index = new ObjectIndex(valuesOf)
    for (const [key, object] of this.#objects) index.move(key, undefined, object)
    this.#indexes.set(name, index)
  }

  advance(revision: string): void {
    this.#revision = revision
    this.#resolveWaiting()
  }

  #resolveWaiting(): void {
    for (const waiter of this.#waiting) if (this.#shows(waiter.write)) waiter.resolve()
  }

  waitForWrite(write: Write, signal: AbortSignal): Promise<void> {
    if (this.#shows(write) || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const finish = (): void => {
        this.#waiting.delete(waiter)
        signal.removeEventListener('abort', finish)
        resolve()
      }
      const waiter = { write, resolve: finish }
      this.#waiting.add(waiter)
      signal.addEventListener('abort', finish, { once: true })
    })
  }

  /** True if the cache shows what a write did. A deleted object may still be there while it terminates. */
  #shows({ namespace, name, uid, resourceVersion }: Write): boolean {
    const left = this.get(namespace === undefined ? { name } : { namespace, name })
    if (resourceVersion !== undefined) {
      return (
        hasReached(this.#revision, resourceVersion) ||
        (left?.metadata.uid === uid && hasReached(left?.metadata.resourceVersion, resourceVersion))
      )
    }
    return left === undefined || left.metadata.uid !== uid || isTerminating(left)
  }
}

/** Revisions of one server are ordered numbers written as text. */
export function hasReached(revision: string | undefined, wanted: string): boolean {
  return revision !== undefined && revision !== '' && Number(revision) >= Number(wanted)
}

function isTerminating(object: ApiObject): boolean {
  return object.metadata.deletionTimestamp !== undefined
}
