import { isIP } from 'node:net'
import type {
  AuditDecision,
  AuditEvent,
  Auditor,
  AuditRequest,
  ObjectReference,
  Stage,
} from '../../audit/audit.ts'
import type { UserInfo } from '../../auth/auth.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import { requestNamespace, type Target } from '../../registry/registry.ts'
import { rawJsonAt, rawPath } from '../../serializer/serializer.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import type { BodyStream, HttpResponse } from '../http/response.ts'
import type { RequestInfo } from '../request/request-info.ts'
import { requestedName } from '../request/requested-name.ts'
import { requestObjectText, responseObjectText, sentName } from './audit-objects.ts'

/** The audit event of one request on its way through the server. */
export interface AuditContext {
  /** The request to go on with: what is read of its body is captured where the policy records it. */
  readonly request: HttpRequest
  /** Whether the request may go on: false in mode `blocking-strict` if its arrival could not be recorded. */
  readonly mayGoOn: Awaitable<boolean>
  /**
   * Records the response, at once where nothing has to be waited for. A stream is recorded as it begins and as it ends, so the
   * response to send is another one.
   */
  complete(response: HttpResponse, facts: RequestFacts): Awaitable<HttpResponse>
}

/** What became known of a request since its arrival. */
export interface RequestFacts {
  readonly annotations: Readonly<Record<string, string>>
  readonly impersonatedUser?: UserInfo
}

/** A request whose user and purpose are known. */
export interface IdentifiedRequest {
  readonly request: HttpRequest
  readonly info: RequestInfo
  readonly user: UserInfo
  readonly auditId: string
}

/** Begins the audit event of a request; undefined if the policy records nothing of it. Then the request pays nothing more. */
export function auditContextOf(
  context: ServerContext,
  auditor: Auditor,
  identified: IdentifiedRequest,
): AuditContext | undefined {
  const decision = auditor.evaluate(auditRequestOf(identified))
  if (decision === undefined) return undefined
  const { clock, gates, serializers, view } = context
  const { request, info } = identified
  const base = initialEvent(identified, decision, clock.now())
  const record = (stage: Stage, more: Partial<AuditEvent>): Awaitable<boolean> =>
    !decision.records(stage) || auditor.record({ ...base, ...more, stage, reached: clock.now() })
  const mayGoOn = record('RequestReceived', {})
  const captured: Uint8Array[] = []
  const wholly = decision.level === 'RequestResponse'
  const keeps = decision.level !== 'Metadata'
  const facts = { scheme: view.scheme, clock, gates }
  const audited = { serializers, request, info, decision, facts }
  return {
    request: keeps || info.verb === 'create' ? capturingBody(request, captured) : request,
    mayGoOn,
    complete(response, { annotations, ...others }) {
      const base: Partial<AuditEvent> = {
        ...others,
        ...(info.target && {
          objectRef: referenceOf(
            info,
            info.target,
            writtenReference(response) ?? refusedReference(identified, captured, response),
          ),
        }),
        ...remoteReference(info),
        responseStatus: statusOf(response),
        ...(Object.keys(annotations).length > 0 && { annotations }),
      }
      const { body } = response
      if (typeof body === 'function') {
        return { ...response, body: auditedStream(body, (stage) => record(stage, base)) }
      }
      const stage = response.internalError ? 'Panic' : 'ResponseComplete'
      if (!decision.records(stage)) return response
      const sent = keeps ? requestObjectText(audited, captured, response) : undefined
      return chainAwaitable(sent, (requestObject) =>
        chainAwaitable(
          wholly ? responseObjectText(audited, response) : undefined,
          (responseObject) =>
            chainAwaitable(
              record(stage, {
                ...base,
                ...(requestObject !== undefined && { requestObject }),
                ...(responseObject !== undefined && { responseObject }),
              }),
              () => response,
            ),
        ),
      )
    },
  }
}

/** A request as the policy matches it. */
function auditRequestOf({ request, info, user }: IdentifiedRequest): AuditRequest {
  const { path, target, remote } = info
  const who = { user: user.username, groups: user.groups, verb: verbOf(info, request), path }
  if (remote?.resource !== undefined) {
    const { resource: plural, group, name, namespace = '', subresource = '' } = remote.resource
    return { ...who, resource: { group, plural, subresource, namespace, name } }
  }
  if (target === undefined) return who
  const { kind, subresource = '' } = target
  const { group, plural } = kind
  const name = requestedName(info)
  const namespace = requestNamespace(target) ?? ''
  return { ...who, resource: { group, plural, subresource, namespace, name } }
}

function verbOf({ verb, remote }: RequestInfo, { method }: HttpRequest): string {
  return remote?.verb ?? verb ?? method.toLowerCase()
}

/** What the events of all stages of a request have in common. */
function initialEvent(
  { request, info, user, auditId: auditID }: IdentifiedRequest,
  { level }: AuditDecision,
  received: number,
): AuditEvent {
  const { target } = info
  const sourceIPs = sourceIPsOf(request)
  const userAgent = headerOf(request, 'user-agent')
  return {
    level,
    auditID,
    stage: 'RequestReceived',
    requestURI: request.url,
    verb: verbOf(info, request),
    user,
    ...(sourceIPs.length > 0 && { sourceIPs }),
    ...(userAgent && { userAgent }),
    ...(target && { objectRef: referenceOf(info, target) }),
    ...remoteReference(info),
    received,
    reached: received,
  }
}

/** The object that a request is about, as far as the request names it and a write made it. */
function referenceOf(
  info: RequestInfo,
  target: Target,
  written: ObjectReference = {},
): ObjectReference {
  const { kind, subresource } = target
  const name = requestedName(info)
  const namespace = requestNamespace(target)
  const { uid, resourceVersion, name: ownName = name } = written
  return {
    resource: kind.plural,
    ...(namespace && { namespace }),
    ...(ownName && { name: ownName }),
    ...(uid && { uid }),
    ...(kind.group && { apiGroup: kind.group }),
    apiVersion: kind.version,
    ...(resourceVersion && { resourceVersion }),
    ...(subresource && { subresource }),
  }
}

/** The object of another server, as the path names it. */
function remoteReference({ remote }: RequestInfo): Pick<AuditEvent, 'objectRef'> {
  if (remote?.resource === undefined) return {}
  const { resource, group, version, name, namespace, subresource } = remote.resource
  const objectRef = {
    resource,
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...{ apiGroup: group, apiVersion: version },
    ...(subresource && { subresource }),
  }
  return { objectRef }
}

/** Where a stored object says what it is. */
const paths = {
  name: rawPath('metadata.name'),
  uid: rawPath('metadata.uid'),
  resourceVersion: rawPath('metadata.resourceVersion'),
}

/** The object that was written: the server may have made its name. Read off the stored bytes without parsing them. */
function writtenReference({ writtenItem: written }: HttpResponse): ObjectReference | undefined {
  if (written === undefined) return undefined
  const found = Object.entries(paths).flatMap(([key, path]) => {
    const raw = rawJsonAt(written.bytes, path)
    return raw === undefined ? [] : [[key, JSON.parse(raw.toString()) as string]]
  })
  return Object.fromEntries(found)
}

/** The object that a client tried to make, as far as its body was read: a refusal is about it. */
function refusedReference(
  { request, info }: IdentifiedRequest,
  captured: readonly Uint8Array[],
  { status }: HttpResponse,
): ObjectReference | undefined {
  if (status < 400 || info.verb !== 'create') return undefined
  const name = sentName(request, captured)
  return name === undefined ? undefined : { name }
}

/** The Status of the response without its type, or the code alone. */
function statusOf({ status: code, statusBody }: HttpResponse): object {
  if (statusBody === undefined) return { metadata: {}, code }
  const { kind: _, apiVersion: __, ...rest } = statusBody as Readonly<Record<string, unknown>>
  return { ...rest, code }
}

/**
 * The client first, then the proxies between, as far as their headers tell; last the other end of the connection. What is no IP
 * address is left out.
 */
function sourceIPsOf(request: HttpRequest): readonly string[] {
  const { peer, headers } = request
  const forwarded = headers['x-forwarded-for']
  const hops = (forwarded === undefined ? '' : String(forwarded)).split(',')
  const addresses = [...hops, headerOf(request, 'x-real-ip') ?? '', peer?.remoteAddress ?? '']
  return [...new Set(addresses.map((one) => one.trim().replace(/^::ffff:/, '')))].filter(isIP)
}

/** The same request; what is read of its body is kept in `captured`. */
function capturingBody(request: HttpRequest, captured: Uint8Array[]): HttpRequest {
  return {
    ...request,
    async *body() {
      for await (const chunk of request.body()) {
        captured.push(chunk)
        yield chunk
      }
    },
  }
}

/** The same stream with an event at its beginning and one at its end, also if it fails. */
function auditedStream(body: BodyStream, record: (stage: Stage) => Awaitable<boolean>): BodyStream {
  return async (sink) => {
    await record('ResponseStarted')
    try {
      await body(sink)
    } finally {
      await record('ResponseComplete')
    }
  }
}
