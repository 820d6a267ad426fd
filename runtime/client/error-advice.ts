/** What an error of a server means for who wrote the request, added to the server's own words. */

import type { Kind } from '../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import { apiVersionOf } from '../kernel/meta/object.ts'
import type { Transport } from './http/transport.ts'

/** What a request asks for, as rules of roles name it. */
export interface RequestSubject {
  readonly kind: Kind
  readonly verb: string
  /** The object; absent for a request about a collection. */
  readonly name?: string
  readonly subresource?: string | undefined
}

/** The request that failed. */
interface FailedRequest {
  readonly method: string
  readonly path: string
  readonly subject?: RequestSubject
}

/** The error with what to do about it, where that is known. Reason, code and details stay. */
export function withAdvice(
  error: StatusError,
  request: FailedRequest,
  transport: Transport,
): StatusError {
  const message = adviceFor(error, request, transport)
  if (message === undefined) return error
  const { reason, code, details, continueToken, cause } = error
  return new StatusError(reason, message, {
    ...{ code, cause },
    ...(details !== undefined && { details: { ...details } }),
    ...(continueToken !== undefined && { continueToken }),
  })
}

/**
 * True for the 404 of a resource that the server does not have at all: one that misses an object names it. A caller who looks
 * for an object must not take the one for the other.
 */
export function isNotServed(error: unknown): boolean {
  return isStatus(error, 'NotFound') && error.details?.name === undefined
}

function adviceFor(
  error: StatusError,
  { subject, method, path }: FailedRequest,
  { refusedCredentials }: Transport,
): string | undefined {
  const { code, message } = error
  if (code === 401) {
    return refusedCredentials === undefined ? undefined : `${message}: ${refusedCredentials}`
  }
  if (subject === undefined) return undefined
  if (code === 403) {
    return isMissingRule(message) ? `${message}; missing is ${ruleFor(subject)}` : undefined
  }
  if (!isNotServed(error)) return undefined
  const { kind } = subject
  const what = `${method} ${path.replace(/\?.*$/, '')}`
  const part =
    subject.subresource === undefined ? kind.plural : `${kind.plural}/${subject.subresource}`
  const why = `the server does not serve ${part} (kind ${kind.kind}) of ${apiVersionOf(kind)}`
  return `${what}: ${why}: is the kind installed there, and of this version?`
}

/** A refusal of an authorizer, and not one of an admission plugin. */
function isMissingRule(message: string): boolean {
  return / is forbidden: User "[^"]*" cannot \w+ resource "/.test(message)
}

/** The rule of a role, as it is written there. */
function ruleFor({ kind, verb, subresource, name }: RequestSubject): string {
  const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`
  const names =
    name === undefined || verb === 'create' ? '' : `, for all of them or resourceNames: [${name}]`
  return `a role with { apiGroups: ["${kind.group}"], resources: [${resource}], verbs: [${verb}] }${names}`
}
