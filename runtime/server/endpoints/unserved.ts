/** Responses to requests that no endpoint has: paths that nothing is served at, and methods that a path does not know. */
import { type Kind, resourceName } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Target } from '../../registry/registry.ts'
import type { ServerContext } from '../context/server-context.ts'
import { splitUrl } from '../http/query.ts'
import type { HttpRequest } from '../http/request.ts'
import { type HttpResponse, textResponse } from '../http/response.ts'
import { warningHeaders } from '../http/warning-header.ts'
import { failureResponse } from '../negotiation/failure-response.ts'
import { hasVerb } from '../request/request-info.ts'
import { decodedPath, type RouteTable } from '../request/resource-path.ts'

/** What a request for an unserved path is answered from. */
type Answering = Pick<ServerContext, 'view' | 'serializers'>

/** A Status below a group of built-in kinds, a text everywhere else, groups of custom kinds among it. */
export function notFound(
  { view, serializers }: Answering,
  request: HttpRequest,
  segments: readonly string[] = decodedSegments(request.url),
): HttpResponse | Promise<HttpResponse> {
  if (segments[0] === 'openapi' && segments[1] === 'v3')
    return { status: 404, headers: {}, body: new Uint8Array(0) }
  if (!isKnownRoot(view.routes, segments)) {
    const custom = customObject(view.routes, segments)
    return custom ? absentPart(custom, request, serializers) : plainNotFound()
  }
  const text = 'the server could not find the requested resource'
  return failureResponse(new StatusError('NotFound', text, { details: {} }), request, serializers)
}

/** Also of a path with empty segments. */
function decodedSegments(url: string): readonly string[] {
  const { path } = splitUrl(url)
  return (decodedPath(path) ?? path).split('/').slice(1)
}

/** 400 for a path that is no text: a percent sign without the two digits of a byte behind it. */
export function malformed(): HttpResponse {
  return textResponse(400, '400 Bad Request')
}

function plainNotFound(): HttpResponse {
  return textResponse(404, '404 page not found\n')
}

/** What is told of a subresource that a custom kind does not have: that there is no such object. */
async function absentPart(
  { kind, name }: CustomObject,
  request: HttpRequest,
  serializers: Answering['serializers'],
): Promise<HttpResponse> {
  const { group, plural, customResource } = kind
  const text = `${plural}.${group} ${JSON.stringify(name)} not found`
  const details = { name, group, kind: plural }
  const error = new StatusError('NotFound', text, { details })
  const response = await failureResponse(error, request, serializers)
  const deprecation = customResource?.deprecation
  if (deprecation === undefined) return response
  return {
    ...response,
    headers: { ...response.headers, Warning: warningHeaders([deprecation])[0] ?? '' },
  }
}

/** An object of a custom kind, as a path names it. */
interface CustomObject {
  readonly kind: Kind
  readonly name: string
}

/** The object of a custom kind whose subresource a path names. */
function customObject(
  routes: RouteTable,
  [root, group, version, ...rest]: readonly string[],
): CustomObject | undefined {
  if (root !== 'apis') return undefined
  const kinds = routes.get(`apis/${group}/${version}`)
  const inNamespace = rest[0] === 'namespaces' && rest.length > 3
  const [plural = '', name = '', subresource] = inNamespace ? rest.slice(2) : rest
  const kind = kinds?.get(plural)
  if (kind?.customResource === undefined || !subresource || name === '') return undefined
  if ((kind.scope === 'Namespaced') !== inNamespace) return undefined
  return { kind, name }
}

function isKnownRoot(routes: RouteTable, [root, group]: readonly string[]): boolean {
  if (root === 'api' || root === 'version') return true
  if (root !== 'apis' || group === undefined) return false
  return [...routes].some(
    ([path, kinds]) =>
      path.startsWith(`apis/${group}/`) &&
      [...kinds.values()].some(({ customResource }) => customResource === undefined),
  )
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

/**
 * 405 with the methods that the target has, 404 if it has none; a custom kind says which verb it lacks, and has none but reads
 * across namespaces.
 */
export function wrongMethod(
  answering: Answering,
  request: HttpRequest,
  target: Target,
): HttpResponse | Promise<HttpResponse> {
  const { serializers } = answering
  const { kind, namespace, name } = target
  const custom = kind.customResource !== undefined
  const everywhere = kind.scope === 'Namespaced' && namespace === undefined && name === undefined
  if (custom && everywhere) return plainNotFound()
  const allowed = Object.keys(methods).filter((method) => methods[method]?.(target))
  if (allowed.length === 0) return notFound(answering, request)
  return refused(request, serializers, allowed, custom ? lackingVerb(request, target) : undefined)
}

/** 405 for a document that can only be read. */
export function readOnly({ serializers }: Answering, request: HttpRequest): Promise<HttpResponse> {
  return refused(request, serializers, ['GET', 'HEAD'])
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** A custom kind lacks `create` only while its definition is being deleted. */
function lackingVerb({ method }: HttpRequest, { kind, name }: Target): StatusError | undefined {
  const verb = verbs[method]
  if (verb === undefined) return undefined
  const text =
    verb === 'create' && name === undefined
      ? 'create not allowed while custom resource definition is terminating'
      : `${verb} is not supported on resources of kind "${resourceName(kind)}"`
  const details = { group: kind.group, kind: kind.plural }
  return new StatusError('MethodNotAllowed', text, { details })
}

async function refused(
  request: HttpRequest,
  serializers: Answering['serializers'],
  allowed: readonly string[],
  error = new StatusError(
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    { details: {} },
  ),
): Promise<HttpResponse> {
  const response = await failureResponse(error, request, serializers)
  return { ...response, headers: { ...response.headers, Allow: allowed.join(', ') } }
}
