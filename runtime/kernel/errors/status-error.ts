import type { CauseReason } from '../validation/field-error.ts'

/** The reasons of failures: a closed set that callers may branch on. */
export type StatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServerTimeout'
  | 'Timeout'
  | 'ServiceUnavailable'
  | ''

const codes: Readonly<Record<StatusReason, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  Timeout: 504,
  ServiceUnavailable: 503,
  '': 500,
}

/** One cause of a Status; `field` is a path such as `spec.containers[0].name`. */
export interface StatusCause {
  /** Absent if a plugin or webhook gives none. */
  readonly reason?:
    | CauseReason
    | 'UnexpectedServerResponse'
    | 'FieldManagerConflict'
    | 'ResourceVersionTooLarge'
    | 'NamespaceTerminating'
    | 'DisruptionBudget'
  readonly message: string
  readonly field?: string
}

/** Details of a failure. */
export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  /** The plural name of the resource; for reason Invalid, the kind. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/**
 * A failure of a request, as a Status says it over the wire. The only errors that callers may branch on; anything else that
 * is thrown is a bug.
 */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly reason: StatusReason
  /** Assigned, not defined, so that tests can intercept the assignment by a setter on the prototype. */
  declare readonly details: StatusDetails | undefined
  readonly code: number
  /** `metadata.continue` of the Status: with reason Expired, a token to go on with. */
  readonly continueToken: string | undefined

  constructor(
    reason: StatusReason,
    message: string,
    options: {
      details?: StatusDetails
      cause?: unknown
      code?: number
      continueToken?: string
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.details = options.details
    this.code = options.code ?? codes[reason]
    this.continueToken = options.continueToken
  }
}

/** True for a StatusError, of the given reason if there is one; also for errors of another copy of this module. */
export function isStatus(error: unknown, reason?: StatusReason): error is StatusError {
  return (
    error instanceof Error &&
    error.name === 'StatusError' &&
    (reason === undefined || (error as StatusError).reason === reason)
  )
}
