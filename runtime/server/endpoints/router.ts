import type { UserInfo } from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { groupNames } from '../../kernel/descriptors/platform.ts'
import type { Target } from '../../registry/registry.ts'
import type { ServerContext } from '../context/server-context.ts'
import { coreVersions } from '../discovery/api-groups.ts'
import { aggregatedVersions } from '../discovery/discovery-documents.ts'
import type { Query } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import { type HttpResponse, textResponse } from '../http/response.ts'
import { documentResponse, etagResponse, hashedDocument } from '../negotiation/document.ts'
import { parseAccept } from '../negotiation/media-types.ts'
import { hasVerb, type RequestInfo } from '../request/request-info.ts'
import { servedGroups } from '../request/served-groups.ts'
import { verbs } from './verbs.ts'

/**
 * The endpoint's response to a request.
 *
 * @throws StatusError, or any error of a bug, for the filter `panics` to response.
 */
export function routeRequest(
  context: ServerContext,
  { request, info, auditId, user }: RoutedRequest,
): Awaitable<HttpResponse> {
  const { target, verb, segments, query } = info
  if (segments === undefined) return notFound()
  if (target === undefined) return nonResource(context, request, segments, query)
  if (verb === undefined) return wrongMethod(target)
  return verbs[verb]({ context, request, auditId, user, target, query })
}

/** A request that passed the filters before its endpoint. */
export interface RoutedRequest {
  readonly request: HttpRequest
  readonly info: RequestInfo
  readonly auditId: string
  readonly user: UserInfo
}

/** Which methods have a verb at a target, for the header `Allow`. */
const methods: Readonly<Record<string, (target: Target) => boolean>> = {
  GET: (target) => hasVerb(target, target.name === undefined ? 'list' : 'get'),
  POST: (target) =>
    (target.name === undefined || target.subresource !== undefined) && hasVerb(target, 'create'),
  PUT: (target) => target.name !== undefined && hasVerb(target, 'update'),
  PATCH: (target) => target.name !== undefined && hasVerb(target, 'patch'),
  DELETE: (target) => hasVerb(target, target.name === undefined ? 'deletecollection' : 'delete'),
}

function wrongMethod(target: Target): HttpResponse {
  const Allow = Object.keys(methods).filter((method) => methods[method]?.(target))
  return textResponse(405, '405: Method Not Allowed', { Allow: Allow.join(', ') })
}

function notFound(): HttpResponse {
  return textResponse(404, '404 page not found\n')
}

/** Everything that is no resource: discovery, schema documents, the version. All of it is read only. */
async function nonResource(
  context: ServerContext,
  request: HttpRequest,
  segments: readonly string[],
  query: Query,
): Promise<HttpResponse> {
  const response = await nonResourceResponse(context, request, segments, query)
  if (response === undefined) return notFound()
  if (request.method === 'GET' || request.method === 'HEAD') return response
  return textResponse(405, '405: Method Not Allowed', { Allow: 'GET, HEAD' })
}

/** Undefined for a path that nothing is served at. */
async function nonResourceResponse(
  context: ServerContext,
  request: HttpRequest,
  segments: readonly string[],
  query: Query,
): Promise<HttpResponse | undefined> {
  const [first, ...rest] = segments
  const path = segments.join('/')
  if (path === 'openapi/v2') return context.view.schemas.v2(request)
  if (first === 'openapi' && rest[0] === 'v3') {
    return context.view.schemas.v3(request, rest.slice(1).join('/'), query)
  }
  const apis = path === 'api' || path === 'apis'
  const together = apis ? await aggregatedResponse(context, request, path) : undefined
  if (together !== undefined) return together
  if (path === 'api') {
    const document = hashedDocument(coreDocument(context, request))
    return documentResponse(request, query, document, context.serializers)
  }
  const document = context.view.documents.get(path)
  return document && documentResponse(request, query, await document(), context.serializers)
}

/** `/api` names the address by which the client reached the server, so it is made anew for each request. */
function coreDocument({ view: { scheme, routes } }: ServerContext, request: HttpRequest): object {
  return coreVersions(servedGroups(scheme, routes), headerOf(request, 'host') ?? 'localhost')
}

/** Aggregated discovery, if the client accepts it before the plain form; undefined if it does not. */
async function aggregatedResponse(
  context: ServerContext,
  request: HttpRequest,
  path: string,
): Promise<HttpResponse | undefined> {
  const groups = groupNames('apidiscovery', context.view.scheme.platform)
  const wanted = requestedAggregation(headerOf(request, 'accept') ?? '', groups)
  if (wanted === undefined) return undefined
  const document = await context.view.documents.get(`${path};${wanted.group}/${wanted.version}`)?.()
  if (document === undefined) return undefined
  const headers = {
    'Content-Type': `application/json;g=${wanted.group};v=${wanted.version};as=APIGroupDiscoveryList`,
    'Cache-Control': 'public',
    Vary: 'Accept',
  }
  return etagResponse(request, document.hash, headers, document.bytes)
}

/** A version of aggregated discovery and the name of the group that the client knows it by. */
interface AggregatedForm {
  readonly group: string
  readonly version: string
}

function requestedAggregation(
  accept: string,
  groups: readonly string[],
): AggregatedForm | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== 'application/json') continue
    if (!parameters.has('as')) return undefined
    if (parameters.get('as') !== 'APIGroupDiscoveryList') continue
    const version = aggregatedVersions.find((one) => one === parameters.get('v'))
    const group = groups.find((one) => one === parameters.get('g'))
    if (version !== undefined && group !== undefined) return { group, version }
  }
  return undefined
}
