import {
  isStatus,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from '../kernel/errors/status-error.ts'
import { isObject } from '../kernel/values/json.ts'
import { parseTrustedJson } from '../serializer/serializer.ts'
import type { TransportResponse } from './http/transport.ts'

/** The reason of a response whose body names none. */
const reasonByCode: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** How much of a foreign body a message shows. */
const maxShownLength = 1024

/** The error that a response of status 400 and above stands for: a Status body becomes its error, any other is quoted. */
export function errorFromResponse(
  response: TransportResponse,
  body: Uint8Array,
  now: number,
): StatusError {
  const after = retryAfterSeconds(response, now)
  const status = statusBody(body)
  if (status !== undefined) return errorFromStatus(status, response.status, after)
  const text =
    Buffer.from(body).toString().trim().slice(0, maxShownLength) ||
    `the server answered ${response.status}`
  return new StatusError(reasonByCode[response.status] ?? '', text, {
    code: response.status,
    ...(after !== undefined && { details: { retryAfterSeconds: after } }),
  })
}

/** The error that a Status object stands for, such as the one in an ERROR event of a watch. */
export function errorFromStatus(status: unknown, code = 500, after?: number): StatusError {
  const { reason, message, details, metadata, ...rest } = (
    isObject(status) ? status : {}
  ) as StatusBody
  const actual = typeof rest.code === 'number' ? rest.code : code
  const known = { ...(after !== undefined && { retryAfterSeconds: after }), ...details }
  const token = metadata?.continue
  return new StatusError(reason ?? reasonByCode[actual] ?? '', message ?? 'unknown', {
    code: actual,
    ...(Object.keys(known).length > 0 && { details: known }),
    ...(token !== undefined && { continueToken: token }),
  })
}

/** The error of a request without a response: no server was reached, or the connection broke. `what` names the request. */
export function connectionError(error: unknown, what: string): StatusError {
  if (isStatus(error)) return error
  const why = error instanceof Error ? error.message || error.name : String(error)
  return new StatusError('ServiceUnavailable', `${what}: ${why}`, { cause: error })
}

/** The seconds that the Retry-After header asks to wait, which has a number or a date. */
function retryAfterSeconds({ headers }: TransportResponse, now: number): number | undefined {
  const header = headers['retry-after']
  if (typeof header !== 'string') return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}

interface StatusBody {
  readonly reason?: StatusReason
  readonly message?: string
  readonly code?: number
  readonly details?: StatusDetails
  readonly metadata?: { readonly continue?: string }
}

function statusBody(body: Uint8Array): unknown {
  try {
    const value: unknown = parseTrustedJson(body)
    return isObject(value) && value.kind === 'Status' ? value : undefined
  } catch {
    return undefined
  }
}
