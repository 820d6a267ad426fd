import type { UserInfo } from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { groupNames, type Platform } from '../../kernel/descriptors/platform.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Target } from '../../registry/registry.ts'
import { createJsonSerializer, type Serializer } from '../../serializer/serializer.ts'
import type { ServerContext, ServerDocument } from '../context/server-context.ts'
import { coreVersions } from '../discovery/api-groups.ts'
import { aggregatedVersions } from '../discovery/discovery-documents.ts'
import type { Query } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import {
  documentResponse,
  etagResponse,
  type HashedDocument,
  hashedDocument,
  indentedResponse,
} from '../negotiation/document.ts'
import {
  mediaOf,
  type NegotiatedMedia,
  negotiate,
  offers,
  parseAccept,
} from '../negotiation/media-types.ts'
import { wantsPretty } from '../negotiation/pretty.ts'
import { checkRouteMedia } from '../negotiation/route-media.ts'
import { hasVerb, type RequestInfo } from '../request/request-info.ts'
import { decodedPath } from '../request/resource-path.ts'
import { servedGroups } from '../request/served-groups.ts'
import { routeMedia } from './kind-media.ts'
import { listOptions } from './request-options.ts'
import { malformed, notFound, readOnly, wrongMethod } from './unserved.ts'
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
  if (segments === undefined)
    return oddEscape.test(info.path) ? malformed() : notFound(context, request)
  if (target === undefined) return nonResource(context, request, info, segments)
  if (verb === undefined) {
    if (listed(request, target)) {
      checkRouteMedia(request, routeMedia(context, target.kind, 'list'))
      context.registry.checkOptions('watch', target, listOptions(query))
    }
    return wrongMethod(context, request, target)
  }
  if (target.kind.customResource === undefined)
    checkRouteMedia(request, routeMedia(context, target.kind, verb))
  return verbs[verb]({ context, request, auditId, user, target, query })
}

/** True for a collection that can be read, but not as it is asked for. */
function listed({ method }: HttpRequest, target: Target): boolean {
  return (
    method === 'GET' &&
    target.name === undefined &&
    hasVerb(target, 'list') &&
    target.kind.customResource === undefined
  )
}

const oddEscape = /%(?![0-9a-fA-F]{2})/

/** A request that passed the filters before its endpoint. */
export interface RoutedRequest {
  readonly request: HttpRequest
  readonly info: RequestInfo
  readonly auditId: string
  readonly user: UserInfo
}

/** Everything that is no resource: discovery, schema documents, the version. All of it is read only. */
async function nonResource(
  context: ServerContext,
  request: HttpRequest,
  { path, query }: RequestInfo,
  segments: readonly string[],
): Promise<HttpResponse> {
  if (isUnservedDocument(decodedPath(path) ?? path, segments))
    return notFound(context, request, segments)
  const reads = request.method === 'GET' || request.method === 'HEAD'
  try {
    const response = await nonResourceResponse(context, request, segments, query)
    if (response === undefined) return notFound(context, request, segments)
    return reads ? response : readOnly(context, request)
  } catch (error) {
    if (reads || !isStatus(error, 'NotAcceptable')) throw error
    return readOnly(context, request)
  }
}

/** Schema documents stand at their paths alone, the list of groups behind one slash at most. */
function isUnservedDocument(path: string, [first, second]: readonly string[]): boolean {
  return (
    (first === 'openapi' && path.endsWith('/')) ||
    (first === 'apis' && second === undefined && path.endsWith('//'))
  )
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
  const given = context.documents.get(`/${path}`)
  if (given !== undefined) return givenDocument(given)
  if (path === 'openapi/v2') return context.view.schemas.v2(request)
  if (first === 'openapi' && rest[0] === 'v3') {
    const found = await context.view.schemas.v3(request, rest.slice(1).join('/'), query)
    return found ?? { status: 404, headers: {}, body: new Uint8Array(0) }
  }
  const apis = path === 'api' || path === 'apis'
  if (path === 'api') checkRouteMedia(request, { verb: 'get', serializers: context.serializers })
  const together = apis ? await aggregatedResponse(context, request, path, query) : undefined
  if (together !== undefined) return together
  if (path === 'api') {
    const document = hashedDocument(coreDocument(context, request))
    return documentResponse(request, query, document, context.serializers)
  }
  const document = context.view.documents.get(path)?.()
  if (document === undefined) return undefined
  if (path === '') return indentedResponse(document)
  if (path === 'version') return versionResponse(request, document)
  const [kind] = context.view.routes.get(path)?.values() ?? []
  if (kind !== undefined && kind.customResource === undefined)
    checkRouteMedia(request, { verb: 'get', serializers: context.serializers })
  return documentResponse(request, query, document, context.serializers)
}

function givenDocument({ contentType, cacheControl, text }: ServerDocument): HttpResponse {
  const headers = { 'Content-Type': contentType, 'Cache-Control': cacheControl }
  return { status: 200, headers, body: Buffer.from(text()) }
}

/** `/api` names the address by which the client reached the server, so it is made anew for each request. */
function coreDocument(
  { view: { scheme, routes, remote } }: ServerContext,
  request: HttpRequest,
): object {
  return coreVersions(
    servedGroups(scheme, routes, remote),
    headerOf(request, 'host') ?? 'localhost',
  )
}

const jsonOnly = [createJsonSerializer()]

/** The version is no object and has no form but JSON: a client that accepts only others is refused. */
function versionResponse(request: HttpRequest, document: HashedDocument): HttpResponse {
  negotiate(headerOf(request, 'accept'), offers.plain, jsonOnly)
  return indentedResponse(document)
}

/** Aggregated discovery, if the client accepts it before the plain form; undefined if it does not. */
async function aggregatedResponse(
  { view, serializers }: ServerContext,
  request: HttpRequest,
  path: string,
  query: Query,
): Promise<HttpResponse | undefined> {
  const accept = headerOf(request, 'accept') ?? ''
  const wanted = requestedAggregation(accept, view.scheme.platform, serializers)
  const document = wanted && view.documents.get(`${path};${wanted.group}/${wanted.version}`)?.()
  if (wanted === undefined || document === undefined) return undefined
  const { serializer, mediaType, group, version } = wanted
  const body = await serializer.encodeDocument(document.json, wantsPretty(request, query, wanted))
  const headers = {
    'Content-Type': `${mediaType};g=${group};v=${version};as=APIGroupDiscoveryList`,
    'Cache-Control': 'public',
    Vary: 'Accept',
  }
  return etagResponse(request, document.hash, headers, body)
}

/** A form of aggregated discovery: its version, and the name of the group that the client knows it by. */
interface AggregatedForm extends NegotiatedMedia {
  readonly group: string
  readonly version: string
}

function requestedAggregation(
  accept: string,
  platform: Platform,
  serializers: readonly Serializer[],
): AggregatedForm | undefined {
  const groups = groupNames('apidiscovery', platform)
  for (const { type, parameters } of parseAccept(accept)) {
    const media = mediaOf(type, serializers, parameters)
    if (media === undefined) continue
    if (!parameters.has('as')) return undefined
    if (parameters.get('as') !== 'APIGroupDiscoveryList') continue
    const version = aggregatedVersions.find((one) => one === parameters.get('v'))
    const group = groups.find((one) => one === parameters.get('g'))
    if (version !== undefined && group !== undefined) return { ...media, group, version }
  }
  return undefined
}
