import type { ObjectReference } from '../../generated/apis/audit/v1.ts'
import type { UserInfo } from '../kernel/auth/user-info.ts'
import type { Level, Stage } from './policy.ts'

export type { ObjectReference }

/** One stage of one request, as it is recorded (supplement U-01). Times are milliseconds since the epoch. */
export interface AuditEvent {
  readonly level: Level
  readonly auditID: string
  readonly stage: Stage
  readonly requestURI: string
  readonly verb: string
  readonly user: UserInfo
  readonly impersonatedUser?: UserInfo
  readonly sourceIPs?: readonly string[]
  readonly userAgent?: string
  readonly objectRef?: ObjectReference
  /** A Status as it went over the wire, or its code alone. */
  readonly responseStatus?: object
  /** JSON without line breaks, as the client sent it. */
  readonly requestObject?: string
  /** JSON without line breaks, as the client got it. */
  readonly responseObject?: string
  /** When the request arrived. */
  readonly received: number
  /** When this stage was reached. */
  readonly reached: number
  readonly annotations?: Readonly<Record<string, string>>
}

/** `json`: the event, one a line. `legacy`: a line of its most important facts. */
export type AuditFormat = 'json' | 'legacy'

/**
 * An event as a line of JSON, its keys in declaration order. Objects are put in as the text they are: nothing is parsed to be
 * printed.
 */
export function eventLine(event: AuditEvent, apiVersion: string): string {
  return `{"kind":"Event","apiVersion":${JSON.stringify(apiVersion)},${eventText(event).slice(1)}\n`
}

/** An event as it stands in a list, which says for all of them what they are. */
export function eventText(event: AuditEvent): string {
  const { level, auditID, stage, requestURI, verb, user, impersonatedUser } = event
  const { sourceIPs, userAgent, objectRef, responseStatus } = event
  const head = JSON.stringify({
    level,
    auditID,
    stage,
    requestURI,
    verb,
    user,
    impersonatedUser,
    sourceIPs,
    userAgent,
    objectRef,
    responseStatus,
  })
  const tail = JSON.stringify({
    requestReceivedTimestamp: microTime(event.received),
    stageTimestamp: microTime(event.reached),
    annotations: event.annotations,
  })
  const objects =
    objectText('request', event.requestObject) + objectText('response', event.responseObject)
  return `${head.slice(0, -1)}${objects},${tail.slice(1)}`
}

/** A member of the event, with its comma. */
function objectText(of: 'request' | 'response', text: string | undefined): string {
  return text === undefined ? '' : `,"${of}Object":${text}`
}

/** RFC 3339 with six digits after the second, as `MicroTime` fields are written. */
function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`
}

/** An event as one line of quoted facts, as programs expect it that read the old form of the public API server. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser: other, responseStatus } = event
  const code = responseStatus !== undefined && 'code' in responseStatus && responseStatus.code
  const facts = {
    id: JSON.stringify(event.auditID),
    stage: JSON.stringify(event.stage),
    ip: JSON.stringify(event.sourceIPs?.[0] ?? '<unknown>'),
    method: JSON.stringify(event.verb),
    user: JSON.stringify(user.username || '<none>'),
    groups: groupText(user.groups, '<none>'),
    as: JSON.stringify(other?.username ?? '<self>'),
    asgroups: groupText(other?.groups, '<lookup>'),
    'user-agent': JSON.stringify(event.userAgent ?? ''),
    namespace: JSON.stringify(event.objectRef?.namespace ?? '<none>'),
    uri: JSON.stringify(event.requestURI),
    response: JSON.stringify(code ? String(code) : '<deferred>'),
  }
  const words = Object.entries(facts).map(([name, text]) => `${name}=${text}`)
  return `${microTime(event.received)} AUDIT: ${words.join(' ')}\n`
}

/** Groups as one quoted text. */
function groupText(groups: readonly string[] = [], none: string): string {
  if (groups.length === 0) return JSON.stringify(none)
  return JSON.stringify(groups.map((group) => JSON.stringify(group)).join(','))
}
