import type { CacheReader } from '../../informer/informer.ts'
import { type AnyKind, type Kind, resourceName } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'

/** The caches of the kinds that one controller watches, by `cacheName`. */
export type Caches = ReadonlyMap<string, CacheReader<ApiObject>>

type NamedKind = Pick<Kind, 'group' | 'version' | 'plural'>

/** Controllers look caches up for each change of each object. */
const names = new WeakMap<NamedKind, string>()

/** Two versions of one kind are two caches: their objects differ. */
export function cacheName(kind: NamedKind): string {
  const known = names.get(kind)
  if (known !== undefined) return known
  const name = `${resourceName(kind)}/${kind.version}`
  names.set(kind, name)
  return name
}

/** The caches of all versions of a kind: a write through one version shows in each. */
export function cachesOf(caches: Caches, kind: Kind): readonly CacheReader<ApiObject>[] {
  const prefix = `${resourceName(kind)}/`
  return [...caches].flatMap(([name, cache]) => (name.startsWith(prefix) ? [cache] : []))
}

/** The cache of a kind that a controller watches. */
export function cacheOf<K extends ApiObject>(
  controller: string,
  caches: Caches,
  kind: Kind<K>,
): CacheReader<K> {
  const cache = caches.get(cacheName(kind as AnyKind))
  invariant(cache, `${controller} reads ${kind.kind} without declaring that it does`)
  return cache as unknown as CacheReader<K>
}
