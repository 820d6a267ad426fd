import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Verb } from '../../kernel/descriptors/kind.ts'
import type { StatusDetails } from '../../kernel/errors/status-error.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { logUnexpectedError } from '../../observe/observe.ts'
import {
  bodyKindOf,
  type DeleteResult,
  type PatchType,
  type Target,
  type WriteResult,
} from '../../registry/registry.ts'
import type { Caller } from '../flow/flow-control.ts'
import { type HttpRequest, type HttpResponse, headerOf } from '../http/message.ts'
import { warningHeaders } from '../http/warning-header.ts'
import { applyLayout, layoutOf } from '../negotiation/layout.ts'
import {
  bodyType,
  contentType,
  negotiate,
  type Offer,
  offers,
  unsupportedMediaType,
} from '../negotiation/media-types.ts'
import { protobufDocument } from '../negotiation/protobuf.ts'
import { protobufFrames, streamType } from '../negotiation/protobuf-watch.ts'
import { itemResponse, listResponse, type Representation } from '../negotiation/representation.ts'
import {
  decode,
  decodeConfig,
  type ProtobufBody,
  readBody,
  readObject,
} from '../negotiation/request-body.ts'
import { failureBody, successBody, toStatus } from '../negotiation/status-body.ts'
import { includeObjectOf } from '../negotiation/table.ts'
import type { Query } from '../request/query.ts'
import type { ServerContext } from '../server-context.ts'
import { deleteOptions } from './delete-options.ts'
import { listOptions, watchOptions, writeOptions } from './request-options.ts'
import { convertedFrames, watchStream } from './watch-stream.ts'

/** One request about served resources. */
export interface ResourceRequest {
  readonly core: ServerContext
  readonly request: HttpRequest
  readonly audit: string
  readonly caller: Caller
  readonly target: Target
  readonly query: Query
}

/** One function for each verb: reads what the request says, asks the registry, writes what it gave. */
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

function get(call: ResourceRequest): Awaitable<HttpResponse> {
  const { core, target, query } = call
  const form = representationOf(call, offers.item)
  const resourceVersion = query.text('resourceVersion')
  const known = resourceVersion ? undefined : core.registry.peek(target)
  if (known !== undefined) return itemResponse(200, known, form)
  const found = core.registry.get(target, resourceVersion ? { resourceVersion } : {})
  return found.then((item) => itemResponse(200, item, form))
}

async function list(call: ResourceRequest): Promise<HttpResponse> {
  const { core, target, query } = call
  const form = representationOf(call, offers.list)
  return listResponse(await core.registry.list(target, listOptions(query)), form)
}

async function watch(call: ResourceRequest): Promise<HttpResponse> {
  const { core, query, audit } = call
  const form = representationOf(call, offers.watch)
  const { name, ...collection } = call.target
  const lifeMs = watchLife(core, query)
  const options = watchOptions(query, name, lifeMs)
  const stop = new AbortController()
  const events = core.registry.watch(collection, options, stop.signal)
  const report = (bug: unknown): void => logUnexpectedError(core.log, audit, 'watch', bug)
  const plain = form.media.as === undefined
  const binary = form.media.format === 'protobuf' ? form.protobuf : undefined
  const stream = watchStream(events, {
    stop,
    clock: core.clock,
    stalledMs: core.limits.stalledMs,
    lifeMs,
    frame: plain ? core.frame : convertedFrames(() => ({ ...form, now: core.clock.now() })),
    ...(binary && (await protobufFrames(binary, form))),
    failure: (error) => failureBody(toStatus(error, audit, report)),
  })
  return {
    status: 200,
    headers: { 'Content-Type': streamType(form.media, contentType(form.media)) },
    async body(sink) {
      core.watches.set(stop, call.target.kind)
      try {
        await stream(sink)
      } finally {
        core.watches.delete(stop)
      }
    },
  }
}

/** What the client asks for, else a time between the shortest and twice that, so that watches do not end all at once. */
function watchLife({ minRequestTimeoutMs, random }: ServerContext, query: Query): number {
  const seconds = query.integer('timeoutSeconds')
  if (seconds !== undefined && seconds > 0) return Math.min(seconds * 1000, 2 ** 31 - 1)
  return minRequestTimeoutMs * (1 + random())
}

async function create(call: ResourceRequest): Promise<HttpResponse> {
  const { core, request, query, target } = call
  if (target.subresource !== undefined || target.kind.forwardsTo !== undefined) return act(call)
  const form = representationOf(call, offers.item)
  const options = withUser(call, writeOptions('CreateOptions', request, query, core.metaGroup))
  const body = await readObject(request, protobufBody(call))
  return writeResponse(await core.registry.create(target, body, options), form)
}

/** The options of a write with the user on whose behalf it is made: what admission and reviews see. */
function withUser<T>({ caller: { name, groups } }: ResourceRequest, options: T) {
  return { ...options, user: { username: name, groups } }
}

/** A subresource that does something answers that it is done. */
async function act(call: ResourceRequest): Promise<HttpResponse> {
  const { core, request, query, target } = call
  const form = representationOf(call, offers.plain)
  const options = withUser(call, writeOptions('CreateOptions', request, query, core.metaGroup))
  const body = await readObject(request, protobufBody(call))
  const acted = await core.registry.act(target, body, options)
  return withWarnings(await successResponse(201, {}, form), acted)
}

async function update(call: ResourceRequest): Promise<HttpResponse> {
  const { core, request, query, target } = call
  const form = representationOf(call, offers.item)
  const options = withUser(call, writeOptions('UpdateOptions', request, query, core.metaGroup))
  const body = await readObject(request, protobufBody(call))
  return writeResponse(await core.registry.update(target, body, options), form)
}

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
])

/** A kind that was defined at run time has no directives for strategic merging (supplement C-25). */
function patchTypesOf({ customResource: custom }: Target['kind']): readonly PatchType[] {
  const all = [...patchTypes.values()]
  return custom === undefined ? all : all.filter((type) => type !== 'strategic')
}

async function patch(call: ResourceRequest): Promise<HttpResponse> {
  const { core, request, query, target } = call
  const form = representationOf(call, offers.item)
  const sent = headerOf(request, 'content-type')
  const type = sent === undefined ? undefined : patchTypes.get(bodyType(sent))
  const known = patchTypesOf(target.kind)
  if (type === undefined || !known.includes(type)) {
    throw unsupportedMediaType(
      [...patchTypes.keys()].filter((one) => known.includes(patchTypes.get(one)!)),
    )
  }
  const applies = type === 'apply'
  const kind = applies ? 'ApplyOptions' : 'PatchOptions'
  const options = withUser(call, writeOptions(kind, request, query, core.metaGroup))
  const bytes = await readBody(request)
  const body = applies
    ? await decodeConfig(bytes, request.limits)
    : await decode('application/json', bytes, request.limits)
  return writeResponse(await core.registry.patch(target, type, body, options), form)
}

async function writeResponse(
  { item, created, ...said }: WriteResult,
  form: Representation,
): Promise<HttpResponse> {
  return {
    ...withWarnings(await itemResponse(created ? 201 : 200, item, form), said),
    writtenItem: item,
  }
}

async function remove(call: ResourceRequest): Promise<HttpResponse> {
  const { core, request, query, target } = call
  const form = representationOf(call, offers.item)
  const asked = await deleteOptions(request, query, core.scheme.platform, core.protobuf)
  const options = withUser(call, asked)
  const deleted = await core.registry.delete(target, options)
  if (!('item' in deleted))
    return withWarnings(await successResponse(200, deleted.details, form), deleted)
  const later = deleted.stays && options.orphanDependents === false
  const answer = await itemResponse(later ? 202 : 200, deleted.item, form)
  return { ...withWarnings(answer, deleted), writtenItem: deleted.item }
}

/** A Success Status; only one of a creation says its code. */
async function successResponse(
  status: 200 | 201,
  details: StatusDetails,
  form: Representation,
): Promise<HttpResponse> {
  const value = {
    ...successBody(details),
    ...(status === 201 && { details: undefined, code: status }),
  }
  const body =
    form.media.format === 'protobuf' && form.protobuf !== undefined
      ? await protobufDocument(form.protobuf, value)
      : await applyLayout(JSON.stringify(value), form.layout)
  return { status, headers: { 'Content-Type': contentType(form.media) }, body, statusBody: value }
}

type Remarks = Pick<DeleteResult, 'warnings' | 'annotations'>

function withWarnings(answer: HttpResponse, { warnings = [], annotations }: Remarks): HttpResponse {
  if (warnings.length === 0 && annotations === undefined) return answer
  const headers = warnings.length > 0 && { Warning: warningHeaders(warnings) }
  return {
    ...answer,
    headers: { ...answer.headers, ...headers },
    ...(annotations && { annotations }),
  }
}

async function removeAll(call: ResourceRequest): Promise<HttpResponse> {
  const { core, request, query, target } = call
  const form = representationOf(call, offers.list)
  const asked = await deleteOptions(request, query, core.scheme.platform, core.protobuf)
  const options = withUser(call, asked)
  const matching = listOptions(query)
  const deleted = await core.registry.deleteCollection(target, matching, options)
  return withWarnings(await listResponse(deleted, form), deleted)
}

/** What a body in protobuf is taken for if it does not name its type: the subresource's kind or the kind itself. */
function protobufBody({
  core: { protobuf: binary },
  target,
}: ResourceRequest): ProtobufBody | undefined {
  if (binary === undefined || target.kind.proto === undefined) return undefined
  const { kind, subresource } = target
  const own = kind.subresources.find(({ name }) => name === subresource) ?? bodyKindOf(target)
  return {
    binary,
    kind: own.kind,
    apiVersion: 'apiVersion' in own ? own.apiVersion : apiVersionOf(own),
  }
}

function representationOf(
  { core, request, query, target }: ResourceRequest,
  offer: Offer,
): Representation {
  const binary = target.kind.proto === undefined ? undefined : core.protobuf
  const media = negotiate(headerOf(request, 'accept'), offer, core.metaGroups, binary?.types)
  return {
    protobuf: binary,
    recentBodies: core.recentBodies,
    listTexts: core.listTexts,
    kind: bodyKindOf(target),
    media,
    layout: layoutOf(media, request, query),
    include: media.as === 'Table' ? includeObjectOf(query.text('includeObject')) : 'None',
    now: core.clock.now(),
  }
}
