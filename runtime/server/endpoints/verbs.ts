import type { UserInfo } from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Verb } from '../../kernel/descriptors/kind.ts'
import type { StatusDetails } from '../../kernel/errors/status-error.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { logUnexpectedError } from '../../observe/observe.ts'
import {
  bodyKindOf,
  type DeleteResult,
  type Target,
  type WriteResult,
} from '../../registry/registry.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Query } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import { frameOf, type HttpResponse } from '../http/response.ts'
import { warningHeaders } from '../http/warning-header.ts'
import {
  bodyType,
  checkStreams,
  negotiate,
  type Offer,
  offers,
  unsupportedMediaType,
} from '../negotiation/media-types.ts'
import { wantsPretty } from '../negotiation/pretty.ts'
import { itemResponse, listResponse, type Representation } from '../negotiation/representation.ts'
import {
  bodySerializer,
  decodePatch,
  type ExpectedBody,
  readBody,
  readObject,
} from '../negotiation/request-body.ts'
import { failureBody, successBody, toStatus } from '../negotiation/status-body.ts'
import { includeObjectOf } from '../negotiation/table.ts'
import { framesOf } from '../negotiation/watch-frames.ts'
import { traceOf } from '../request/trace-headers.ts'
import { deleteOptions } from './delete-options.ts'
import { patchTypesOf, serializersFor } from './kind-media.ts'
import { listOptions, watchOptions, writeOptions } from './request-options.ts'
import { watchStream } from './watch-stream.ts'

/** One request about a resource. */
export interface ResourceRequest {
  readonly context: ServerContext
  readonly request: HttpRequest
  readonly auditId: string
  readonly user: UserInfo
  readonly target: Target
  readonly query: Query
}

/** One function for each verb: reads what the request says, calls the registry, writes what it returned. */
export const verbs: Readonly<Record<Verb, (call: ResourceRequest) => Awaitable<HttpResponse>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeAll,
}

/** Without a promise for an object in the watch cache that is sent as its stored bytes. */
function get(call: ResourceRequest): Awaitable<HttpResponse> {
  const { context, target, query } = call
  const form = representationOf(call, offers.item)
  const resourceVersion = query.text('resourceVersion')
  const known = resourceVersion ? undefined : context.registry.peek(target)
  if (known !== undefined) return itemResponse(200, known, form)
  const found = context.registry.get(target, resourceVersion ? { resourceVersion } : {})
  return found.then((item) => itemResponse(200, item, form))
}

async function list(call: ResourceRequest): Promise<HttpResponse> {
  const { context, target, query } = call
  const form = representationOf(call, offers.list)
  const options = { ...listOptions(query), inParts: true }
  return listResponse(await context.registry.list(target, options), form)
}

/**
 * The stream begins when the response is sent; what happens before is in the watch cache, from the version that the client
 * named.
 */
async function watch(call: ResourceRequest): Promise<HttpResponse> {
  const { context, query, auditId } = call
  const form = representationOf(call, offers.watch)
  const { name, ...collection } = call.target
  if (!query.flag('watch')) context.registry.checkOptions('list', collection, listOptions(query))
  const lifeMs = watchLife(context, query)
  const options = watchOptions(query, name, lifeMs)
  const stop = new AbortController()
  const events = context.registry.watch(collection, options, stop.signal)
  checkStreams(form.media, serializersFor(context, call.target.kind))
  const report = (bug: unknown): void => logUnexpectedError(context.log, auditId, 'watch', bug)
  const { serializer, mediaType } = form.media
  const encoder = await serializer.eventEncoder(form)
  const stream = watchStream(events, {
    stop,
    clock: context.clock,
    stalledMs: context.limits.stalledMs,
    lifeMs,
    frame: framesOf(context.sharedFrames, form, encoder, context.clock),
    failure(error) {
      const status = failureBody(toStatus(error, auditId, report))
      return frameOf(encoder.encodeDocumentEvent('ERROR', JSON.stringify(status)))
    },
  })
  return {
    status: 200,
    headers: { 'Content-Type': `${mediaType}${serializer.streamParameter ?? ''}` },
    async body(sink) {
      context.watches.set(stop, call.target.kind)
      try {
        await stream(sink)
      } finally {
        context.watches.delete(stop)
      }
    },
  }
}

/**
 * Milliseconds: what the client wants, else a time between the shortest and twice that, so that watches do not end all at once.
 */
function watchLife({ minRequestTimeoutMs, random }: ServerContext, query: Query): number {
  const seconds = query.integer('timeoutSeconds')
  if (seconds !== undefined && seconds > 0) return Math.min(seconds * 1000, 2 ** 31 - 1)
  return minRequestTimeoutMs * (1 + random())
}

async function create(call: ResourceRequest): Promise<HttpResponse> {
  const { context, request, query, target } = call
  if (target.subresource !== undefined || target.kind.forwardsTo !== undefined) return act(call)
  const reviewed = target.kind.review !== undefined
  const form = representationOf(call, reviewed ? offers.withoutTable : offers.item)
  const expected = expectedBody(call)
  bodySerializer(request, expected.serializers)
  const options = withUser(call, writeOptions('CreateOptions', request, query, context.metaGroup))
  const body = await readObject(request, expected)
  return writeResponse(await context.registry.create(target, body, options), form)
}

/** The options of a write with the user on whose behalf it is made, and its trace: what admission and reviews see. */
function withUser<T>(
  { user, request }: ResourceRequest,
  options: T,
): T & { readonly user: UserInfo } {
  const trace = traceOf(request)
  return trace === undefined ? { ...options, user } : { ...options, user, trace }
}

/** A subresource that does something, such as an eviction, answers that it is done. */
async function act(call: ResourceRequest): Promise<HttpResponse> {
  const { context, request, query, target } = call
  const form = representationOf(call, offers.action)
  const expected = expectedBody(call)
  bodySerializer(request, expected.serializers)
  const options = withUser(call, writeOptions('CreateOptions', request, query, context.metaGroup))
  const body = await readObject(request, expected)
  const acted = await context.registry.act(target, body, options)
  if (acted.item !== undefined) {
    const { writtenItem: _, ...response } = await itemResponse(201, acted.item, form)
    return withWarnings(response, acted)
  }
  return withWarnings(await successResponse(201, {}, form), acted)
}

async function update(call: ResourceRequest): Promise<HttpResponse> {
  const { context, request, query, target } = call
  const form = representationOf(call, offers.item)
  const options = withUser(call, writeOptions('UpdateOptions', request, query, context.metaGroup))
  const body = await readObject(request, expectedBody(call))
  return writeResponse(await context.registry.update(target, body, options), form)
}

/** A patch that cannot be read is refused where there is something to patch; an apply makes what is not there. */
async function patch(call: ResourceRequest): Promise<HttpResponse> {
  const { context, request, query, target } = call
  const form = representationOf(call, offers.item)
  const sent = headerOf(request, 'content-type')
  const known = patchTypesOf(target.kind)
  const type = sent === undefined ? undefined : known.get(bodyType(sent))
  if (type === undefined) throw unsupportedMediaType([...known.keys()])
  const applies = type === 'apply'
  const kind = applies ? 'ApplyOptions' : 'PatchOptions'
  const options = withUser(call, writeOptions(kind, request, query, context.metaGroup))
  const bytes = await readBody(request)
  const checked = options.fieldValidation !== 'Ignore'
  const body = await decodePatch(bytes, type, request.limits, checked).catch(async (refusal) => {
    const { subresource: _, ...object } = target
    if (!applies) await context.registry.get(object, {})
    throw refusal
  })
  return writeResponse(await context.registry.patch(target, type, body, options), form)
}

async function writeResponse(
  { item, created, ...remarks }: WriteResult,
  form: Representation,
): Promise<HttpResponse> {
  return {
    ...withWarnings(await itemResponse(created ? 201 : 200, item, form), remarks),
    writtenItem: item,
  }
}

/**
 * 202 for a foreground deletion, where the object stays until what it owns is gone; what is removed without a trace is answered
 * with a Status.
 */
async function remove(call: ResourceRequest): Promise<HttpResponse> {
  const { context, request, query, target } = call
  const form = representationOf(call, offers.item)
  const own = await deleteOptions(request, query, context.view.scheme, context.serializers)
  const options = withUser(call, own)
  const deleted = await context.registry.delete(target, options)
  if (!('item' in deleted))
    return withWarnings(await successResponse(200, deleted.details, form), deleted)
  const later = deleted.stays && options.orphanDependents === false
  const response = await itemResponse(later ? 202 : 200, deleted.item, form)
  return { ...withWarnings(response, deleted), writtenItem: deleted.item }
}

/** A Success Status. Only one of a creation says its code, as the public API server does it. */
async function successResponse(
  status: 200 | 201,
  details: StatusDetails,
  form: Representation,
): Promise<HttpResponse> {
  const value = {
    ...successBody(details),
    ...(status === 201 && { details: undefined, code: status }),
  }
  const { serializer, mediaType } = form.media
  const body = await serializer.encodeDocument(JSON.stringify(value), form.pretty)
  return { status, headers: { 'Content-Type': mediaType }, body, statusBody: value }
}

/** What a write may say beside its result. */
type Remarks = Pick<DeleteResult, 'warnings' | 'annotations'>

/** The response with the warnings and the audit annotations of the write. */
function withWarnings(
  response: HttpResponse,
  { warnings = [], annotations }: Remarks,
): HttpResponse {
  if (warnings.length === 0 && annotations === undefined) return response
  const headers = warnings.length > 0 && { Warning: warningHeaders(warnings) }
  return {
    ...response,
    headers: { ...response.headers, ...headers },
    ...(annotations && { annotations }),
  }
}

async function removeAll(call: ResourceRequest): Promise<HttpResponse> {
  const { context, request, query, target } = call
  const form = representationOf(call, offers.list)
  const matching = listOptions(query)
  context.registry.checkOptions(query.flag('watch') ? 'watch' : 'list', target, matching)
  const own = await deleteOptions(request, query, context.view.scheme, context.serializers)
  const options = withUser(call, own)
  const deleted = await context.registry.deleteCollection(target, matching, options)
  return withWarnings(await listResponse(deleted, form), deleted)
}

/** A body that does not name its type is of the subresource's kind, or of the kind itself. */
function expectedBody({ context, target }: ResourceRequest): ExpectedBody {
  const { kind, subresource } = target
  const own = kind.subresources.find(({ name }) => name === subresource) ?? bodyKindOf(target)
  const apiVersion = 'apiVersion' in own ? own.apiVersion : apiVersionOf(own)
  return { serializers: serializersFor(context, kind), expected: { kind: own.kind, apiVersion } }
}

/** Negotiates how the response is written. @throws StatusError NotAcceptable. */
function representationOf(
  { context, request, query, target }: ResourceRequest,
  offer: Offer,
): Representation {
  const serializers = serializersFor(context, target.kind)
  const media = negotiate(headerOf(request, 'accept'), offer, serializers, context.metaGroups)
  const partial = media.as === 'Table' ? undefined : media.apiVersion
  const include = query.text('includeObject')
  if (media.as === 'Table' && request.method !== 'GET') includeObjectOf(include)
  return {
    kind: bodyKindOf(target),
    media,
    partial,
    pretty: wantsPretty(request, query, media),
    include,
    now: context.clock.now(),
  }
}
