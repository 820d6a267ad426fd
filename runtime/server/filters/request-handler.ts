import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { logRequest, logUnexpectedError } from '../../observe/observe.ts'
import { type AdmissionNotes, admissionNotesOf } from '../../registry/registry.ts'
import { auditContextOf } from '../audit/audit-context.ts'
import { routeRequest } from '../endpoints/router.ts'
import { type HttpRequest, type HttpResponse, headerOf, type RawResponse } from '../http/message.ts'
import { warningHeaders } from '../http/warning-header.ts'
import { applyLayout, layoutOf } from '../negotiation/layout.ts'
import {
  contentType,
  type NegotiatedMedia,
  negotiate,
  offers,
  plainJson,
} from '../negotiation/media-types.ts'
import { type ProtobufFormat, protobufDocument } from '../negotiation/protobuf.ts'
import { failureBody, failureHeaders, toStatus } from '../negotiation/status-body.ts'
import { splitUrl, timeoutOf } from '../request/query.ts'
import { type RequestInfo, requestInfoOf } from '../request/request-info.ts'
import type { ServerContext } from '../server-context.ts'
import { handleInChain } from './handler-chain.ts'

/** Writes are cut off earlier than reads: whoever waits for one holds a conflict in his hands. */
const writeTimeoutMs = 34_000

/** Answers a request, whatever happens; never fails. What is in memory is answered at once. */
export function handleRequest(core: ServerContext, request: HttpRequest): Awaitable<RawResponse> {
  const start = core.clock.now()
  const audit = auditId(core, request)
  const asked = requestInfoOf(core.routes, request, core.callerOf(request))
  const trail = core.auditor && auditContextOf(core, core.auditor, request, asked, audit)
  const decide = (): Awaitable<HttpResponse> =>
    trail?.refused
      ? failureResponse(core, request, audit, auditFailure())
      : handle(core, trail?.request ?? request, asked, audit)
  const reply = handleInChain(core, request, asked, audit, decide, trail)
  if (!core.log.debugging) return reply
  return chainAwaitable(reply, (made) => {
    const ms = core.clock.now() - start
    const { method } = request
    logRequest(core.log, { audit, method, path: asked.path, status: made.status, ms })
    return made
  })
}

function handle(
  core: ServerContext,
  request: HttpRequest,
  asked: RequestInfo,
  audit: string,
): Awaitable<HttpResponse> {
  const failed = async (error: unknown): Promise<HttpResponse> =>
    withWarnings(await failureResponse(core, request, audit, error), admissionNotesOf(error))
  try {
    const ms = timeLimit(core, request)
    const routed = routeRequest(core, request, asked, audit)
    return routed instanceof Promise ? withDeadline(core.clock, ms, routed).catch(failed) : routed
  } catch (error) {
    return failed(error)
  }
}

function timeLimit({ requestTimeoutMs }: ServerContext, request: HttpRequest): number {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const own = reads ? requestTimeoutMs : Math.min(requestTimeoutMs, writeTimeoutMs)
  if (!request.url.includes('timeout')) return own
  const { query } = splitUrl(request.url)
  const seconds = reads ? query.integer('timeoutSeconds') : undefined
  return Math.min(own, timeoutOf(query) ?? own, seconds ? seconds * 1000 : own)
}

/** What `work` gives, or a Timeout if that takes longer. The work itself goes on: a write may still land. */
function withDeadline<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      const text = 'Timeout: request did not complete within the allotted timeout'
      reject(new StatusError('Timeout', text))
    })
    work.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error) => {
        cancel()
        reject(error)
      },
    )
  })
}

async function failureResponse(
  core: ServerContext,
  request: HttpRequest,
  audit: string,
  error: unknown,
): Promise<HttpResponse> {
  const status = toStatus(error, audit, (bug) =>
    logUnexpectedError(core.log, audit, request.method, bug),
  )
  const media = negotiateFailure(request, core.protobuf)
  const outcome = failureBody(status)
  const layout = layoutOf(media, request, splitUrl(request.url).query)
  return {
    status: status.code,
    headers: { 'Content-Type': contentType(media), ...failureHeaders(status) },
    body:
      media.format === 'protobuf' && core.protobuf !== undefined
        ? await protobufDocument(core.protobuf, outcome)
        : await applyLayout(JSON.stringify(outcome), layout),
    statusBody: outcome,
    ...(!isStatus(error) && { internalError: true }),
  }
}

function auditFailure(): StatusError {
  return new StatusError('InternalError', 'the audit log cannot record the request')
}

/** A refusal with what plugins warned of and noted before it. */
function withWarnings(answer: HttpResponse, said: AdmissionNotes | undefined): HttpResponse {
  if (said === undefined) return answer
  const { warnings, annotations } = said
  const headers = warnings.length > 0 && { Warning: warningHeaders(warnings) }
  return { ...answer, headers: { ...answer.headers, ...headers }, annotations }
}

/** The form of a Status: what the client accepts, JSON if that is nothing we have. */
function negotiateFailure(
  request: HttpRequest,
  binary: ProtobufFormat | undefined,
): NegotiatedMedia {
  const offer = { ...offers.plain, ...(binary && { binary: binary.types }) }
  try {
    return negotiate(headerOf(request, 'accept'), offer)
  } catch {
    return plainJson
  }
}

/** The caller's own id if it is one, so that both logs name the request alike. */
function auditId({ newId }: ServerContext, request: HttpRequest): string {
  const given = headerOf(request, 'audit-id')
  return given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : newId()
}
