/** Requests for which another server answers, read off their method and URL alone: what is behind the path is not known here. */
import type { RemoteServer, RemoteServerMap } from '../../aggregator/aggregator.ts'
import { splitUrl } from '../http/query.ts'
import type { HttpRequest } from '../http/request.ts'
import type { RemoteTarget } from './remote-info.ts'
import type { RequestInfo } from './request-info.ts'
import { pinnedName } from './requested-name.ts'
import { segmentsOf } from './resource-path.ts'
import { type UnservedResource, unservedResource, verbOfMethod } from './unserved-resource.ts'

/** The other server that answers for a path, if one does. A path with `.` or `..` as a step belongs to none. */
export function remoteServerOf(
  servers: RemoteServerMap,
  segments: readonly string[] | undefined,
): RemoteServer | undefined {
  if (segments === undefined || segments.includes('..') || segments.includes('.')) return undefined
  const [first, second, third, fourth, fifth] = segments
  if (first === 'apis') return servers.get(`apis/${second}/${third}`)
  if (first !== 'openapi' || second !== 'v3' || third !== 'apis') return undefined
  const server = segments.length === 5 ? servers.get(`apis/${fourth}/${fifth}`) : undefined
  return server?.schema?.isPassedOn ? server : undefined
}

/** True for a request to another server, whatever it asks there. */
export function isRemote(servers: RemoteServerMap | undefined, url: string): boolean {
  if (servers === undefined) return false
  return remoteServerOf(servers, segmentsOf(splitUrl(url).path)) !== undefined
}

/** The same info, with what the request asks of another server if it does. */
export function withRemote(
  servers: RemoteServerMap,
  info: RequestInfo,
  request: HttpRequest,
): RequestInfo {
  const { segments } = info
  const server = remoteServerOf(servers, segments)
  if (server === undefined || segments === undefined) return info
  const resource = unservedResource(segments)
  if (resource === undefined) {
    const verb = request.method.toLowerCase()
    return { ...info, remote: { server, verb, isLongRunning: false } }
  }
  const remote = { server, ...resourceRequest(segments, resource, info, request) }
  return { ...info, remote }
}

/** Subresources whose answers are streams. */
const streams: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

function resourceRequest(
  segments: readonly string[],
  resource: UnservedResource,
  { query }: RequestInfo,
  { method }: HttpRequest,
): Omit<RemoteTarget, 'server'> {
  const reads = method === 'GET' || method === 'HEAD'
  const ofMethod = verbOfMethod(method, resource.name)
  const isList = reads && resource.name === ''
  const isWatch = isList && query.flag('watch')
  const verb =
    segments[3] === 'watch' && segments.length > 4 ? 'watch' : isWatch ? 'watch' : ofMethod
  const name = isList ? pinnedName(query.text('fieldSelector') ?? '') : resource.name
  const isLongRunning = verb === 'watch' || streams.has(resource.subresource ?? '')
  return { verb, resource: { ...resource, name }, isLongRunning }
}
