import { isIP } from 'node:net'
import type {
  AuditEvent,
  Auditor,
  AuditRequest,
  Decision,
  ObjectReference,
  Stage,
} from '../audit/audit.ts'
import { bytePath, rawAt } from '../codec/codec.ts'
import { type Awaitable, chain } from '../kernel/awaitable.ts'
import { namespaceOf, type Target } from '../registry/registry.ts'
import type { Asked } from './asked.ts'
import type { Core } from './core.ts'
import { type Answer, headerOf, type Incoming, type Reply, type Stream } from './exchange.ts'
import { sentObject, toldObject } from './recorded.ts'

/** The record of one request on its way through the server. */
export interface Trail {
  /** The request to go on with: what is read of its body is kept where it is to be recorded. */
  readonly request: Incoming
  /** True if its arrival could not be recorded and it must not go on. */
  readonly refused: boolean
  /** Records the answer, at once where nothing has to be waited for. A stream is recorded as it begins and as it ends. */
  answered(answer: Answer, notes: Readonly<Record<string, string>>, reply: Reply): Awaitable<Reply>
}

/** Begins the record of a request; undefined if nothing of it is recorded. */
export function trailOf(
  core: Core,
  auditor: Auditor,
  request: Incoming,
  asked: Asked,
  audit: string,
): Trail | undefined {
  const decision = auditor.judge(auditRequestOf(asked, request))
  if (decision === undefined) return undefined
  const { clock } = core
  const base = beginning(request, asked, audit, decision, clock.now())
  const record = (stage: Stage, more: Partial<AuditEvent>): boolean =>
    !decision.records(stage) || auditor.record({ ...base, ...more, stage, reached: clock.now() })
  const refused = !record('RequestReceived', {})
  const kept: Uint8Array[] = []
  const wholly = decision.level === 'RequestResponse'
  const keeps = decision.level !== 'Metadata'
  const recording = { core, request, asked, decision }
  return {
    request: keeps ? keeping(request, kept) : request,
    refused,
    answered(answer, notes, reply) {
      const told: Partial<AuditEvent> = {
        ...(asked.target && { objectRef: referenceOf(asked.target, writtenOf(answer)) }),
        responseStatus: statusOf(answer),
        ...(Object.keys(notes).length > 0 && { annotations: notes }),
      }
      const { body } = reply
      if (typeof body === 'function') {
        return { ...reply, body: recorded(body, (stage) => void record(stage, told)) }
      }
      const stage = answer.bug ? 'Panic' : 'ResponseComplete'
      if (!decision.records(stage)) return reply
      const sent = keeps ? sentObject(recording, kept, answer) : undefined
      return chain(sent, (requestObject) =>
        chain(wholly ? toldObject(recording, answer) : undefined, (responseObject) => {
          record(stage, {
            ...told,
            ...(requestObject !== undefined && { requestObject }),
            ...(responseObject !== undefined && { responseObject }),
          })
          return reply
        }),
      )
    },
  }
}

function auditRequestOf(asked: Asked, { method }: Incoming): AuditRequest {
  const { caller, path, target } = asked
  const verb = asked.verb ?? method.toLowerCase()
  const who = { user: caller.name, groups: caller.groups, verb, path }
  if (target === undefined) return who
  const { kind, name = '', subresource = '' } = target
  const { group, plural } = kind
  const namespace = namespaceOf(target) ?? ''
  return { ...who, resource: { group, plural, subresource, namespace, name } }
}

/** What every event of a request says. */
function beginning(
  request: Incoming,
  { caller, target, verb }: Asked,
  auditID: string,
  { level }: Decision,
  received: number,
): AuditEvent {
  const sourceIPs = sourcesOf(request)
  const userAgent = headerOf(request, 'user-agent')
  return {
    level,
    auditID,
    stage: 'RequestReceived',
    requestURI: request.url,
    verb: verb ?? request.method.toLowerCase(),
    user: { username: caller.name, groups: caller.groups },
    ...(sourceIPs.length > 0 && { sourceIPs }),
    ...(userAgent && { userAgent }),
    ...(target && { objectRef: referenceOf(target) }),
    received,
    reached: received,
  }
}

/** The object that a request is about, as far as its path tells and what was written. */
function referenceOf(target: Target, written: ObjectReference = {}): ObjectReference {
  const { kind, name = '', subresource } = target
  const namespace = namespaceOf(target)
  const { uid, resourceVersion, name: given = name } = written
  return {
    resource: kind.plural,
    ...(namespace && { namespace }),
    ...(given && { name: given }),
    ...(uid && { uid }),
    ...(kind.group && { apiGroup: kind.group }),
    apiVersion: kind.version,
    ...(resourceVersion && { resourceVersion }),
    ...(subresource && { subresource }),
  }
}

const paths = {
  name: bytePath('metadata.name'),
  uid: bytePath('metadata.uid'),
  resourceVersion: bytePath('metadata.resourceVersion'),
}

/** Which object a write came to: its name may be made by the server. Read off the stored bytes without parsing them. */
function writtenOf({ written }: Answer): ObjectReference | undefined {
  if (written === undefined) return undefined
  const found = Object.entries(paths).flatMap(([key, path]) => {
    const raw = rawAt(written.bytes, path)
    return raw === undefined ? [] : [[key, JSON.parse(raw.toString()) as string]]
  })
  return Object.fromEntries(found)
}

function statusOf({ status: code, outcome }: Answer): object {
  if (outcome === undefined) return { metadata: {}, code }
  const { kind: _, apiVersion: __, ...said } = outcome as Readonly<Record<string, unknown>>
  return { ...said, code }
}

/** The client first, then what it came through, as far as headers tell; last who is connected. */
function sourcesOf(request: Incoming): readonly string[] {
  const { peer, headers } = request
  const forwarded = headers['x-forwarded-for']
  const hops = (forwarded === undefined ? '' : String(forwarded)).split(',')
  const told = [...hops, headerOf(request, 'x-real-ip') ?? '', peer?.remoteAddress ?? '']
  return [...new Set(told.map((one) => one.trim().replace(/^::ffff:/, '')))].filter(isIP)
}

/** The same request; what somebody reads of its body is kept in `kept`. */
function keeping(request: Incoming, kept: Uint8Array[]): Incoming {
  return {
    ...request,
    async *body() {
      for await (const chunk of request.body()) {
        kept.push(chunk)
        yield chunk
      }
    },
  }
}

function recorded(body: Stream, record: (stage: Stage) => void): Stream {
  return async (sink) => {
    record('ResponseStarted')
    try {
      await body(sink)
    } finally {
      record('ResponseComplete')
    }
  }
}
