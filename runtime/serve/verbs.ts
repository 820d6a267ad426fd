import type { Awaitable } from '../kernel/awaitable.ts'
import type { Verb } from '../kernel/kind.ts'
import { apiVersionOf } from '../kernel/object.ts'
import type { StatusDetails } from '../kernel/status.ts'
import { logBug } from '../observe/observe.ts'
import {
  bodyKindOf,
  type Deleted,
  type PatchType,
  type Target,
  type Written,
} from '../registry/registry.ts'

import { type BinaryBody, decode, decodeConfig, readBody, readObjectBody } from './body.ts'

import type { Core } from './core.ts'
import { deleteOptions } from './delete-options.ts'
import { type Answer, headerOf, type Incoming } from './exchange.ts'
import type { Caller } from './flow/flow.ts'
import { bodyType, contentType, negotiate, type Offer, offers, unsupported } from './media.ts'
import { listOptions, watchOptions, writeOptions } from './options.ts'
import { binaryDocument } from './protobuf.ts'
import { binaryFrames, streamType } from './protobuf-watch.ts'
import type { Query } from './query.ts'
import { type Form, itemAnswer, listAnswer } from './represent.ts'
import { failureBody, successBody, toStatus } from './status.ts'
import { includeObjectOf } from './table.ts'
import { layOut, layoutOf } from './text.ts'
import { warningHeaders } from './warning.ts'
import { convertedFrames, watchStream } from './watch-stream.ts'

/** One request about served resources. */
export interface Call {
  readonly core: Core
  readonly request: Incoming
  readonly audit: string
  readonly caller: Caller
  readonly target: Target
  readonly query: Query
}

/** One function for each verb: reads what the request says, asks the registry, writes what it gave. */
export const verbs: Readonly<Record<Verb, (call: Call) => Awaitable<Answer>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeAll,
}

function get(call: Call): Awaitable<Answer> {
  const { core, target, query } = call
  const form = formOf(call, offers.item)
  const resourceVersion = query.text('resourceVersion')
  const known = resourceVersion ? undefined : core.registry.peek(target)
  if (known !== undefined) return itemAnswer(200, known, form)
  const found = core.registry.get(target, resourceVersion ? { resourceVersion } : {})
  return found.then((item) => itemAnswer(200, item, form))
}

async function list(call: Call): Promise<Answer> {
  const { core, target, query } = call
  const form = formOf(call, offers.list)
  return listAnswer(await core.registry.list(target, listOptions(query)), form)
}

async function watch(call: Call): Promise<Answer> {
  const { core, query, audit } = call
  const form = formOf(call, offers.watch)
  const { name, ...collection } = call.target
  const lifeMs = watchLife(core, query)
  const options = watchOptions(query, name, lifeMs)
  const stop = new AbortController()
  const events = core.registry.watch(collection, options, stop.signal)
  const report = (bug: unknown): void => logBug(core.log, audit, 'watch', bug)
  const plain = form.media.as === undefined
  const binary = form.media.format === 'protobuf' ? form.binary : undefined
  const stream = watchStream(events, {
    stop,
    clock: core.clock,
    stalledMs: core.limits.stalledMs,
    lifeMs,
    frame: plain ? core.frame : convertedFrames(() => ({ ...form, now: core.clock.now() })),
    ...(binary && (await binaryFrames(binary, form))),
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
function watchLife({ minRequestTimeoutMs, random }: Core, query: Query): number {
  const seconds = query.integer('timeoutSeconds')
  if (seconds !== undefined && seconds > 0) return Math.min(seconds * 1000, 2 ** 31 - 1)
  return minRequestTimeoutMs * (1 + random())
}

async function create(call: Call): Promise<Answer> {
  const { core, request, query, target } = call
  if (target.subresource !== undefined || target.kind.orders !== undefined) return act(call)
  const form = formOf(call, offers.item)
  const options = writeOptions('CreateOptions', request, query, core.metaGroup)
  const body = await readObjectBody(request, binaryBody(call))
  const asking = target.kind.answers === undefined ? options : { ...options, caller: asker(call) }
  return written(await core.registry.create(target, body, asking), form)
}

/** Who asks, as the answer to a question names him. */
function asker({ caller: { name, groups } }: Call) {
  return { username: name, groups }
}

/** A subresource that does something answers that it is done. */
async function act(call: Call): Promise<Answer> {
  const { core, request, query, target } = call
  const form = formOf(call, offers.plain)
  const options = writeOptions('CreateOptions', request, query, core.metaGroup)
  const body = await readObjectBody(request, binaryBody(call))
  const acted = await core.registry.act(target, body, options)
  return withSaid(await done(201, {}, form), acted)
}

async function update(call: Call): Promise<Answer> {
  const { core, request, query, target } = call
  const form = formOf(call, offers.item)
  const options = writeOptions('UpdateOptions', request, query, core.metaGroup)
  const body = await readObjectBody(request, binaryBody(call))
  return written(await core.registry.update(target, body, options), form)
}

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
])

/** A kind that was defined at run time has no directives for strategic merging (supplement C-25). */
function patchTypesOf({ custom }: Target['kind']): readonly PatchType[] {
  const all = [...patchTypes.values()]
  return custom === undefined ? all : all.filter((type) => type !== 'strategic')
}

async function patch(call: Call): Promise<Answer> {
  const { core, request, query, target } = call
  const form = formOf(call, offers.item)
  const sent = headerOf(request, 'content-type')
  const type = sent === undefined ? undefined : patchTypes.get(bodyType(sent))
  const known = patchTypesOf(target.kind)
  if (type === undefined || !known.includes(type)) {
    throw unsupported([...patchTypes.keys()].filter((one) => known.includes(patchTypes.get(one)!)))
  }
  const applies = type === 'apply'
  const kind = applies ? 'ApplyOptions' : 'PatchOptions'
  const options = writeOptions(kind, request, query, core.metaGroup)
  const bytes = await readBody(request)
  const body = applies
    ? await decodeConfig(bytes, request.limits)
    : await decode('application/json', bytes, request.limits)
  return written(await core.registry.patch(target, type, body, options), form)
}

async function written({ item, created, ...said }: Written, form: Form): Promise<Answer> {
  return { ...withSaid(await itemAnswer(created ? 201 : 200, item, form), said), written: item }
}

async function remove(call: Call): Promise<Answer> {
  const { core, request, query, target } = call
  const form = formOf(call, offers.item)
  const options = await deleteOptions(request, query, core.tree.platform, core.binary)
  const deleted = await core.registry.delete(target, options)
  if (!('item' in deleted)) return withSaid(await done(200, deleted.details, form), deleted)
  const later = deleted.stays && options.orphanDependents === false
  const answer = await itemAnswer(later ? 202 : 200, deleted.item, form)
  return { ...withSaid(answer, deleted), written: deleted.item }
}

/** A Success Status; only one of a creation says its code. */
async function done(status: 200 | 201, details: StatusDetails, form: Form): Promise<Answer> {
  const value = {
    ...successBody(details),
    ...(status === 201 && { details: undefined, code: status }),
  }
  const body =
    form.media.format === 'protobuf' && form.binary !== undefined
      ? await binaryDocument(form.binary, value)
      : await layOut(JSON.stringify(value), form.layout)
  return { status, headers: { 'Content-Type': contentType(form.media) }, body, outcome: value }
}

type Said = Pick<Deleted, 'warnings' | 'annotations'>

function withSaid(answer: Answer, { warnings = [], annotations }: Said): Answer {
  if (warnings.length === 0 && annotations === undefined) return answer
  const headers = warnings.length > 0 && { Warning: warningHeaders(warnings) }
  return {
    ...answer,
    headers: { ...answer.headers, ...headers },
    ...(annotations && { annotations }),
  }
}

async function removeAll(call: Call): Promise<Answer> {
  const { core, request, query, target } = call
  const form = formOf(call, offers.list)
  const options = await deleteOptions(request, query, core.tree.platform, core.binary)
  const matching = listOptions(query)
  const deleted = await core.registry.deleteCollection(target, matching, options)
  return withSaid(await listAnswer(deleted, form), deleted)
}

/** What a body in protobuf is taken for if it does not name its type: the subresource's kind or the kind itself. */
function binaryBody({ core: { binary }, target }: Call): BinaryBody | undefined {
  if (binary === undefined || target.kind.proto === undefined) return undefined
  const { kind, subresource } = target
  const own = kind.subresources.find(({ name }) => name === subresource) ?? bodyKindOf(target)
  return {
    binary,
    kind: own.kind,
    apiVersion: 'apiVersion' in own ? own.apiVersion : apiVersionOf(own),
  }
}

function formOf({ core, request, query, target }: Call, offer: Offer): Form {
  const binary = target.kind.proto === undefined ? undefined : core.binary
  const media = negotiate(headerOf(request, 'accept'), offer, core.metaGroups, binary?.types)
  return {
    binary,
    lines: core.lines,
    texts: core.texts,
    kind: bodyKindOf(target),
    media,
    layout: layoutOf(media, request, query),
    include: media.as === 'Table' ? includeObjectOf(query.text('includeObject')) : 'None',
    now: core.clock.now(),
  }
}
