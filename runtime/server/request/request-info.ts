import type { Verb } from '../../kernel/descriptors/kind.ts'
import type { Target } from '../../registry/registry.ts'
import { type HttpRequest, headerOf } from '../http/message.ts'
import { type Query, splitUrl } from '../http/query.ts'
import { type RouteTable, resourcePath, segmentsOf } from './resource-path.ts'

/** What a request asks for, read off its first line and headers once. */
export interface RequestInfo {
  readonly path: string
  readonly query: Query
  /** The decoded path; undefined if it cannot be one. */
  readonly segments: readonly string[] | undefined
  /** Set if the path names served resources. */
  readonly target?: Target
  /** What is to be done with the target; undefined if its kind has no such verb. */
  readonly verb?: Verb
}

/** Reads what a request asks for off its first line. */
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

function verbOf(method: string, target: Target, watch: boolean): Verb | undefined {
  const verb =
    target.name === undefined
      ? collectionVerb(method, watch)
      : itemVerb(method, watch && target.subresource === undefined, target)
  if (verb === undefined || !isAllowed(target, verb)) return undefined
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

/** True if the target's kind, or its subresource, has the verb where the target stands. */
export function isAllowed({ kind, namespace, name, subresource }: Target, verb: Verb): boolean {
  if (subresource !== undefined) {
    return kind.subresources.some((one) => one.name === subresource && one.verbs.includes(verb))
  }
  const everywhere = kind.scope === 'Namespaced' && namespace === undefined && name === undefined
  if (everywhere && verb !== 'list' && verb !== 'watch') return false
  return kind.verbs.includes(verb)
}

/** The verb as metrics name it. */
export function verbLabel({ verb }: RequestInfo, request: HttpRequest): string {
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
