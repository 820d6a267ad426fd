import type { CauseReason } from '../validation/field-error.ts'

/** The closed set of reasons that a caller may branch on. */
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
  /** Absent where a plugin refuses in words of its own. */
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

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  /** The plural resource name; the Kind for reason Invalid. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** The one family of errors that callers may branch on; everything else that is thrown is a bug. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly reason: StatusReason
  /** Only assigned, never defined: the guard of the tests hooks in here. */
  declare readonly details: StatusDetails | undefined
  readonly code: number
  /** `metadata.continue` of the Status: a fresh token beside an expired one. */
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

/** True for a StatusError, of the given reason if one is given; works across copies of this module. */
export function isStatus(error: unknown, reason?: StatusReason): error is StatusError {
  return (
    error instanceof Error &&
    error.name === 'StatusError' &&
    (reason === undefined || (error as StatusError).reason === reason)
  )
}
