import type { NamedObject } from './object.ts'

/** What names an object among those of its kind. */
export interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

/** The key of a name, of a key, or of an object. */
export function targetKey(target: string | ObjectKey | NamedObject): ObjectKey {
  if (typeof target === 'string') return { name: target }
  return 'metadata' in target ? keyIn(target.metadata) : target
}

/** The key in some metadata, without a namespace if it has none. */
export function keyIn(metadata: {
  readonly name: string
  readonly namespace?: unknown
}): ObjectKey {
  const { name, namespace } = metadata
  return typeof namespace === 'string' ? { name, namespace } : { name }
}
