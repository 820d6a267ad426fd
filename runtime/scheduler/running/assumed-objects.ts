import type { CacheReader } from '../../informer/informer.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'

/** Objects of a kind as they are taken to be until the server shows what was written to them. */
export class AssumedObjects<T extends ApiObject> {
  readonly #cache: CacheReader<T>
  readonly #assumed = new Map<string, Stored<T>>()

  constructor(cache: CacheReader<T>) {
    this.#cache = cache
  }

  get(name: string, namespace?: string): Stored<T> | undefined {
    const key = namespace === undefined ? { name } : { namespace, name }
    return this.#assumed.get(keyOf(name, namespace)) ?? this.#cache.get(key)
  }

  /** The objects as they are taken to be. */
  present(objects: readonly Stored<T>[]): readonly Stored<T>[] {
    if (this.#assumed.size === 0) return objects
    return objects.map((one) => this.#assumed.get(keyOfObject(one)) ?? one)
  }

  assume(object: Stored<T>): void {
    this.#assumed.set(keyOfObject(object), object)
  }

  /** The object is as the server shows it. */
  forget(object: Stored<T>): void {
    this.#assumed.delete(keyOfObject(object))
  }

  /** The server shows an object: what was assumed of an earlier state no longer counts. */
  shown(object: Stored<T>): void {
    const assumed = this.#assumed.get(keyOfObject(object))
    if (assumed === undefined) return
    const [now, then] = [object.metadata.resourceVersion, assumed.metadata.resourceVersion]
    if (now !== then) this.forget(object)
  }
}

function keyOf(name: string, namespace: string | undefined): string {
  return `${namespace ?? ''}/${name}`
}

function keyOfObject(object: ApiObject): string {
  return keyOf(object.metadata.name ?? '', object.metadata.namespace)
}
