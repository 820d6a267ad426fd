import type { Verb } from '../../kernel/descriptors/kind.ts'
import type { Target } from '../../registry/registry.ts'
import { type Query, splitUrl } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import type { RemoteTarget } from './remote-info.ts'
import { type RouteTable, resourcePath, segmentsOf } from './resource-path.ts'

/** What a request is about: read off its method and URL, once, by the filter `requestInfo`. */
export interface RequestInfo {
  /** As it was sent, percent-encoded. */
  readonly path: string
  readonly query: Query
  /** The decoded path, split at its slashes; undefined if it cannot be decoded or has an empty segment. */
  readonly segments: readonly string[] | undefined
  /** The resource that the path names; absent for discovery, health and paths that nothing is served at. */
  readonly target?: Target
  /** What the request does with the target; absent if the target has no such verb. */
  readonly verb?: Verb
  /** What is asked of another server, if one answers; then there is no target. */
  readonly remote?: RemoteTarget
}

/** Reads a request's method and URL. Never fails: what cannot be served is what is absent from the result. */
export function requestInfoOf(routes: RouteTable, request: HttpRequest): RequestInfo {
  const { path, query } = splitUrl(request.url)
  const segments = path === '/' ? [] : segmentsOf(path)
  const resource = segments && resourcePath(routes, segments)
  if (resource === undefined) return { path, query, segments }
  const { target, watch } = resource
  const verb = verbOf(request.method, target, watch || query.flag('watch'))
  const known = watch && verb !== 'watch' ? undefined : verb
  return { path, query, segments, target, ...(known && { verb: known }) }
}

/** The verb of a method, if the target has it. */
function verbOf(method: string, target: Target, watch: boolean): Verb | undefined {
  const verb =
    target.name === undefined
      ? collectionVerb(method, watch)
      : itemVerb(method, watch && target.subresource === undefined, target)
  if (verb === undefined || !hasVerb(target, verb)) return undefined
  return verb
}

function collectionVerb(method: string, watch: boolean): Verb | undefined {
  switch (method) {
    case 'GET':
      return watch ? 'watch' : 'list'
    case 'HEAD':
      return 'list'
    case 'POST':
      return 'create'
    case 'DELETE':
      return 'deletecollection'
    default:
      return undefined
  }
}

function itemVerb(method: string, watch: boolean, { subresource }: Target): Verb | undefined {
  switch (method) {
    case 'GET':
      return watch ? 'watch' : 'get'
    case 'HEAD':
      return 'get'
    case 'POST':
      return subresource === undefined ? undefined : 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
    default:
      return undefined
  }
}

/** True if the target's kind, or its subresource, has the verb. All namespaces together can only be listed and watched. */
export function hasVerb({ kind, namespace, name, subresource }: Target, verb: Verb): boolean {
  if (subresource !== undefined) {
    return kind.subresources.some((one) => one.name === subresource && one.verbs.includes(verb))
  }
  const everywhere = kind.scope === 'Namespaced' && namespace === undefined && name === undefined
  if (everywhere && verb !== 'list' && verb !== 'watch') return false
  return kind.verbs.includes(verb)
}

/** True for a target that another server answers: a node, a pod or a service. */
export function isConnection(target: Target | undefined): boolean {
  if (target?.subresource === undefined) return false
  const { kind, subresource } = target
  return kind.subresources.some(
    ({ name, connect }) => name === subresource && connect !== undefined,
  )
}

/** The verb as metrics name it: the method, WATCH, LIST or APPLY. Methods of no standard are counted together. */
export function verbLabel({ verb, target }: RequestInfo, request: HttpRequest): string {
  if (isConnection(target) && target?.subresource !== 'log') return 'CONNECT'
  switch (verb) {
    case undefined:
      return knownMethods.has(request.method) ? request.method : 'other'
    case 'create':
      return 'POST'
    case 'update':
      return 'PUT'
    case 'patch':
      return headerOf(request, 'content-type')?.includes('apply-patch') ? 'APPLY' : 'PATCH'
    default:
      return verb.toUpperCase()
  }
}

const knownMethods: ReadonlySet<string> = new Set([
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
])
