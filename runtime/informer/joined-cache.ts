import type { Key, Write } from '../client/client.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { CacheReader } from './cache.ts'

/** Several caches that share no object, as one: those of one kind in several namespaces. */
export function joinCaches<T extends ApiObject>(caches: readonly CacheReader<T>[]): CacheReader<T> {
  const [first] = caches
  return caches.length === 1 && first !== undefined ? first : new JoinedCache(caches)
}

class JoinedCache<T extends ApiObject> implements CacheReader<T> {
  readonly #caches: readonly CacheReader<T>[]

  constructor(caches: readonly CacheReader<T>[]) {
    this.#caches = caches
  }

  get size(): number {
    return this.#caches.reduce((sum, { size }) => sum + size, 0)
  }

  /** Empty while one of the caches has no list; else the earliest. */
  get revision(): string {
    const revisions = this.#caches.map(({ revision }) => revision)
    return revisions.reduce((least, one) => (Number(one) < Number(least) ? one : least))
  }

  get(key: Key): Stored<T> | undefined {
    for (const cache of this.#caches) {
      const found = cache.get(key)
      if (found !== undefined) return found
    }
    return undefined
  }

  list(namespace?: string): readonly Stored<T>[] {
    return this.#caches.flatMap((cache) => cache.list(namespace))
  }

  index(index: string, value: string): readonly Stored<T>[] {
    return this.#caches.flatMap((cache) => cache.index(index, value))
  }

  async waitForWrite(write: Write, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#caches.map((cache) => cache.waitForWrite(write, signal)))
  }
}
