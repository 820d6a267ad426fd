import type { Kind } from '../kernel/descriptors/kind.ts'
import { StatusError } from '../kernel/errors/status-error.ts'

type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** The path of a collection: in one namespace, or across all of them. */
export function collectionPath(kind: Kind, namespace: string | undefined): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  if (namespace === undefined || kind.scope === 'Cluster') return `${root}/${kind.plural}`
  return `${root}/namespaces/${pathSegment('namespace', namespace)}/${kind.plural}`
}

/** The path of one object, or of its subresource. */
export function objectPath(
  kind: Kind,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  const path = `${collectionPath(kind, namespace)}/${pathSegment('name', name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

/** The path with the parameters that have a value. */
export function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== false) given.append(key, String(value))
  }
  return given.size === 0 ? path : `${path}?${given}`
}

/**
 * An empty name would turn a request for one object into one for all of them, and one with a slash into one for a subresource, since
 * servers decode paths before they split them: neither leaves the client. No object has such a name.
 */
function pathSegment(what: string, value: string): string {
  if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new StatusError('BadRequest', `${what}: "${value}" cannot name an object`)
  }
  return encodeURIComponent(value)
}
