import type { TransportRequest } from '../client/client.ts'

/** What a client asks for. */
export type ClientVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'

/** What a request is about, as its method and path say. */
export interface RequestFacts {
  readonly verb: ClientVerb
  /** `pods`; empty for what is no resource. */
  readonly resource: string
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly subresource: string | undefined
}

/** Reads method and path of a request. */
export function requestFacts({ method, path }: TransportRequest): RequestFacts {
  const [route = '', query = ''] = path.split('?')
  const parts = route.split('/').filter((part) => part !== '')
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3)
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && !isOwnSubresource(rest[2])
  const [resource = '', name, subresource] = inNamespace ? rest.slice(2) : rest
  const watches = new URLSearchParams(query).get('watch')
  const verb = verbOf(method, name !== undefined, watches === 'true' || watches === '1')
  return { verb, resource, name, namespace: inNamespace ? rest[1] : undefined, subresource }
}

/** Of a namespace itself. */
function isOwnSubresource(part: string | undefined): boolean {
  return part === 'status' || part === 'finalize'
}

function verbOf(method: TransportRequest['method'], named: boolean, watches: boolean): ClientVerb {
  switch (method) {
    case 'GET':
      return watches ? 'watch' : named ? 'get' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return named ? 'delete' : 'deletecollection'
  }
}
