/** What a path of the metrics API asks for. */

/** Metrics of one object, or of all in one or all namespaces. */
export interface ResourceRequest {
  readonly group: string
  readonly resource: 'nodes' | 'pods'
  readonly namespace: string
  /** Empty for a list. */
  readonly name: string
}

/** The version that is served. */
export const servedVersion = 'v1beta1'

/** Undefined for a path that names no metrics of one of the groups. */
export function resourceRequest(
  path: string,
  groups: readonly string[],
): ResourceRequest | undefined {
  const [root, group = '', version, ...rest] = stepsOf(path)
  if (root !== 'apis' || !groups.includes(group) || version !== servedVersion) return undefined
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2
  const namespace = isNamespaced ? (rest[1] ?? '') : ''
  const [resource, name = '', ...more] = isNamespaced ? rest.slice(2) : rest
  if (more.length > 0) return undefined
  if (resource === 'nodes' && !isNamespaced) return { group, resource, namespace, name }
  if (resource === 'pods' && (isNamespaced || name === '')) {
    return { group, resource, namespace, name }
  }
  return undefined
}

function stepsOf(path: string): readonly string[] {
  try {
    return path.split('/').slice(1).map(decodeURIComponent)
  } catch {
    return []
  }
}
