/** What a path is about that nothing is served at: rights are asked for it all the same, as clients of public servers know them. */

/** A resource that a path names by its form alone. */
export interface UnservedResource {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly name: string
  readonly namespace?: string
  readonly subresource?: string
}

/** The subresources of namespaces; anything else behind the name of one is a resource in it. */
const namespaceSubresources = ['status', 'finalize']

/** The resource that the segments of a path name below `/api` or `/apis`; undefined for any other path. */
export function unservedResource(segments: readonly string[]): UnservedResource | undefined {
  const [prefix, ...steps] = segments
  const isCore = prefix === 'api'
  if (!isCore && prefix !== 'apis') return undefined
  const [group, version = '', ...rest] = isCore ? ['', ...steps] : steps
  if (group === undefined || rest.length === 0) return undefined
  const parts = rest[0] === 'watch' && rest.length > 1 ? rest.slice(1) : rest
  const inNamespace =
    parts[0] === 'namespaces' &&
    parts.length > 2 &&
    !namespaceSubresources.includes(parts[2] as string)
  const [resource = '', name = '', subresource] = inNamespace ? parts.slice(2) : parts
  const namespace = parts[0] === 'namespaces' ? parts[1] : undefined
  return {
    ...{ group, version, resource, name },
    ...(namespace && { namespace }),
    ...(subresource && { subresource }),
  }
}

/** The verb of a method for an object, or with the empty name for a collection; empty for any other method. */
export function verbOfMethod(method: string, name: string): string {
  switch (method) {
    case 'POST':
      return 'create'
    case 'GET':
    case 'HEAD':
      return name === '' ? 'list' : 'get'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete'
    default:
      return ''
  }
}
