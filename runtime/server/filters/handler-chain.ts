import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { compressionGate } from '../../kernel/descriptors/enabled-gates.ts'
import type { AuditContext } from '../audit/audit-context.ts'
import type { FlowDecision } from '../flow/flow-control.ts'
import { compressResponse } from '../http/gzip.ts'
import {
  type HttpRequest,
  type HttpResponse,
  type RawResponse,
  textResponse,
} from '../http/message.ts'
import { warningHeaders } from '../http/warning-header.ts'
import type { RequestInfo } from '../request/request-info.ts'
import { flowRequestOf } from '../request/request-info.ts'
import type { ServerContext } from '../server-context.ts'

/** A request that was answered, for whoever keeps a record of them. */
export interface CompletedRequest {
  readonly audit: string
  readonly info: RequestInfo
  readonly method: string
  readonly status: number
  readonly annotations: Readonly<Record<string, string>>
}

/**
 * What happens around every request: it waits for its seats, what it is told beside its answer is put into headers, and it
 * is counted. Seats are held until the answer is decided, not while it is sent: a slow reader holds up nobody.
 */
export function handleInChain(
  core: ServerContext,
  request: HttpRequest,
  asked: RequestInfo,
  audit: string,
  work: () => Awaitable<HttpResponse>,
  trail?: AuditContext,
): Awaitable<RawResponse> {
  const start = core.clock.now()
  const passing: PendingRequest = { core, request, asked, audit, start, auditContext: trail }
  const entry = core.flow.acquire(
    flowRequestOf(asked, request.method),
    core.workEstimator.seatsFor(asked),
  )
  return entry instanceof Promise
    ? entry.then((one) => handleWithSeats(passing, one, work))
    : handleWithSeats(passing, entry, work)
}

/** A request on its way through the gate. */
interface PendingRequest {
  readonly core: ServerContext
  readonly request: HttpRequest
  readonly asked: RequestInfo
  readonly audit: string
  readonly start: number
  /** What keeps the record of it. */
  readonly auditContext: AuditContext | undefined
}

function handleWithSeats(
  passing: PendingRequest,
  entry: FlowDecision,
  work: () => Awaitable<HttpResponse>,
): Awaitable<RawResponse> {
  const { core, request, asked, audit, start, auditContext: trail } = passing
  const { release: leave } = entry
  if (leave === undefined) {
    const refused = tooMany(entry)
    core.requestMetrics.answered(asked, request, refused, core.clock.now() - start)
    const reply = withCommonHeaders(core, audit, entry, refused)
    return trail === undefined ? reply : trail.complete(refused, {}, reply)
  }
  const changing = isChanging(asked, request)
  core.requestMetrics.began(changing)
  const left = (): void => {
    leave()
    core.requestMetrics.ended(changing)
  }
  const answer = runReleasing(work, left)
  if (answer instanceof Promise) {
    return answer.finally(left).then((made) => completed(passing, entry, made))
  }
  left()
  return completed(passing, entry, answer)
}

function runReleasing(
  work: () => Awaitable<HttpResponse>,
  left: () => void,
): Awaitable<HttpResponse> {
  try {
    return work()
  } catch (error) {
    left()
    throw error
  }
}

function completed(
  passing: PendingRequest,
  entry: FlowDecision,
  made: HttpResponse,
): Awaitable<RawResponse> {
  const { core, request, asked, audit, start, auditContext: trail } = passing
  core.workEstimator.observe(asked, made)
  const answer = countedWhileStreaming(core, request, asked, made)
  core.requestMetrics.answered(asked, request, answer, core.clock.now() - start)
  const notes = annotationsOf(passing, answer)
  const warning = deprecationWarning(core, request, asked, audit, answer)
  const packed = core.gates.has(compressionGate) ? compressResponse(request, answer) : answer
  const reply = withCommonHeaders(core, audit, entry, packed, warning)
  return trail === undefined ? reply : trail.complete(answer, notes, reply)
}

const noAnnotations: Readonly<Record<string, string>> = {}

/** What is noted of a request, for those who keep records; nothing where nobody does. */
function annotationsOf(
  { core, request: { method }, asked, audit, auditContext: trail }: PendingRequest,
  { status, annotations: noted }: HttpResponse,
): Readonly<Record<string, string>> {
  if (core.onRequestCompleted === undefined && trail === undefined) return noAnnotations
  const deprecation = asked.target && core.deprecations.of(asked.target.kind)
  const annotations = { ...deprecation?.annotations, ...(noted && Object.fromEntries(noted)) }
  core.onRequestCompleted?.({ audit, info: asked, method, status, annotations })
  return annotations
}

/** What the client is warned of. */
function deprecationWarning(
  core: ServerContext,
  { method }: HttpRequest,
  asked: RequestInfo,
  audit: string,
  { status }: HttpResponse,
): string | undefined {
  const { target, segments } = asked
  const deprecation = target && core.deprecations.of(target.kind)
  if (target !== undefined) {
    if (deprecation !== undefined)
      core.requestMetrics.deprecated(target, deprecation.removedRelease)
    return deprecation?.warning
  }
  const instead = status === 404 && segments ? core.deprecations.removalNotice(segments) : undefined
  if (instead !== undefined) {
    core.log.warn('removed API asked for', { audit, method, path: asked.path, instead })
  }
  return instead
}

/** The answer with the headers of every answer. They are gathered once: each request comes through here. */
function withCommonHeaders(
  { flowHeaderNames }: ServerContext,
  audit: string,
  { flowSchemaUid: schema, priorityLevelUid: level }: FlowDecision,
  { status, headers, body }: HttpResponse,
  warning?: string,
): RawResponse {
  const all: (string | readonly string[])[] = ['Audit-Id', audit]
  if (headers['Cache-Control'] === undefined) all.push('Cache-Control', 'no-cache, private')
  if (schema !== '') all.push(flowHeaderNames.schema, schema, flowHeaderNames.level, level)
  for (const name in headers) {
    if (name !== 'Warning' || warning === undefined) all.push(name, headers[name] ?? '')
  }
  if (warning !== undefined) {
    const { Warning: before = [] } = headers
    const others = typeof before === 'string' ? [before] : before
    all.push('Warning', [...warningHeaders([warning]), ...others])
  }
  return { status, headers: all, body }
}

/** A watch counts as under way until its stream ends. */
function countedWhileStreaming(
  { requestMetrics: meters }: ServerContext,
  request: HttpRequest,
  asked: RequestInfo,
  answer: HttpResponse,
): HttpResponse {
  const { body } = answer
  if (asked.verb !== 'watch' || typeof body !== 'function') return answer
  return {
    ...answer,
    async body(sink) {
      const ended = meters.streaming(asked, request)
      try {
        await body(sink)
      } finally {
        ended()
      }
    },
  }
}

function isChanging({ verb }: RequestInfo, { method }: HttpRequest): boolean {
  return verb === undefined ? method !== 'GET' && method !== 'HEAD' : !readingVerbs.has(verb)
}

const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

function tooMany({ retryAfterSeconds }: FlowDecision): HttpResponse {
  return textResponse(429, 'Too many requests, please try again later.\n', {
    'Retry-After': String(retryAfterSeconds),
  })
}
