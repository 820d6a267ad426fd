import type { Key } from '../client/client.ts'
import type { NamedObject } from '../kernel/meta/object.ts'

/** `namespace/name`, only the name for a cluster-scoped object: what caches and queues hold objects by. */
export function formatKey({ namespace, name }: Key): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** The key of an object. */
export function objectKey({ metadata: { namespace, name } }: NamedObject): Key {
  return namespace === undefined ? { name } : { namespace, name }
}

/** The key that `formatKey` wrote. */
export function parseKey(text: string): Key {
  const slash = text.indexOf('/')
  return slash < 0
    ? { name: text }
    : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}
