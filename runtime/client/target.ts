import type { NamedObject } from '../kernel/meta/object.ts'
import type { Key } from './resource.ts'

/** The key of what a verb is given: a name, a key or an object. */
export function targetKey(target: string | Key | NamedObject): Key {
  if (typeof target === 'string') return { name: target }
  return 'metadata' in target ? keyIn(target.metadata) : target
}

/** The key in some metadata, without a namespace if it has none. */
export function keyIn(metadata: { readonly name: string; readonly namespace?: unknown }): Key {
  const { name, namespace } = metadata
  return typeof namespace === 'string' ? { name, namespace } : { name }
}
