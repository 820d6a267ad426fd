import { AccessError } from '../../auth/auth.ts'
import type { StatusDetails } from '../../kernel/errors/status-error.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { fromStoreError } from '../../registry/registry.ts'
import type { HttpResponse } from '../http/response.ts'

/** A Status as it goes over the wire, its keys in the public order. */
export interface StatusBody {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly continue?: string }
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

/**
 * What a client is told of an error. A StatusError stays itself, and so does a refusal of the store. Anything else is a bug of the server: `report` gets it for
 * the log, the client an InternalError that names the audit id and nothing else.
 */
export function toStatus(
  error: unknown,
  auditId: string,
  report: (bug: unknown) => void,
): StatusError {
  const told = fromStoreError(error)
  if (isStatus(told)) return told
  report(error)
  const text = `unexpected error, see the server's log for audit id ${auditId}`
  return new StatusError('InternalError', `Internal error occurred: ${text}`, {
    details: { causes: [{ reason: 'InternalError', message: text }] },
  })
}

/** The Status of a failure. An expired list carries the token to go on with in its metadata. */
export function failureBody(error: StatusError): StatusBody {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: error.continueToken === undefined ? {} : { continue: error.continueToken },
    status: 'Failure',
    message: error.message,
    ...(error.reason !== '' && { reason: error.reason }),
    ...(error.details !== undefined && { details: detailsOf(error.details) }),
    code: error.code,
  }
}

/** The Status of a success, which says no code. */
export function successBody(details: StatusDetails): StatusBody {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: detailsOf(details),
  }
}

/** Headers of a failure: when to try again; browsers may not guess at the type of a refusal that quotes the client. */
export function failureHeaders(error: StatusError): HttpResponse['headers'] {
  const seconds = error.details?.retryAfterSeconds ?? 0
  return {
    ...(seconds > 0 && { 'Retry-After': String(seconds) }),
    ...(error instanceof AccessError && { 'X-Content-Type-Options': 'nosniff' }),
  }
}

/** Details in the public key order, without empty values. */
function detailsOf(details: StatusDetails): StatusDetails {
  const { name, group, kind, uid, causes, retryAfterSeconds } = details
  return {
    ...(name && { name }),
    ...(group && { group }),
    ...(kind && { kind }),
    ...(uid && { uid }),
    ...(causes && causes.length > 0 && { causes }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  }
}
