/** The errors of webhook calls: a call that fails, and a response that denies the request (supplement ). */
import {
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { internalError } from '../chain/errors.ts'

/** A call without a valid response. The webhook's failure policy decides whether it rejects the request. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'
  readonly webhook: string

  constructor(webhook: string, reason: string) {
    super(`failed calling webhook "${webhook}": ${reason}`)
    this.webhook = webhook
  }
}

/** The InternalError of a request whose webhook failed with the failure policy Fail. */
export function failClosedError(error: WebhookCallError): StatusError {
  return internalError(error.message, error)
}

/** The BadRequest of a dry run that matches a webhook with side effects. */
export function dryRunUnsupportedError(webhook: string): StatusError {
  return new StatusError('BadRequest', `admission webhook "${webhook}" does not support dry run`)
}

const reasons: readonly StatusReason[] = [
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Expired',
  'Invalid',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'TooManyRequests',
  'InternalError',
  'ServerTimeout',
  'Timeout',
  'ServiceUnavailable',
]

/**
 * The error for a denial, with the message, reason, code and details of the webhook's Status. A code that is no error code
 * becomes 400.
 */
export function denialError(webhook: string, status: Json | undefined): StatusError {
  const denial: JsonObject = isObject(status) ? status : {}
  const [message, reason] = [stringOrEmpty(denial.message), stringOrEmpty(denial.reason)]
  const explanation = message || reason
  const start = `admission webhook "${webhook}" denied the request`
  const text = explanation === '' ? `${start} without explanation` : `${start}: ${explanation}`
  const details = parseDetails(denial.details)
  return new StatusError(reasons.find((known) => known === reason) ?? '', text, {
    code: errorCodeOf(denial.code),
    ...(details && { details }),
  })
}

/** A denial with another code than that of an error would look like a success. */
function errorCodeOf(code: Json | undefined): number {
  const isError = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599
  return isError ? code : 400
}

/** Bound on the causes that are taken from one denial. */
const maxCauses = 100

/** The fields of StatusDetails; others are dropped. */
function parseDetails(value: Json | undefined): StatusDetails | undefined {
  if (!isObject(value)) return undefined
  const { retryAfterSeconds: seconds } = value
  const causes = parseCauses(value.causes)
  return {
    ...stringFields(value, ['name', 'group', 'kind', 'uid']),
    ...(causes.length > 0 && { causes }),
    ...(typeof seconds === 'number' && seconds > 0 && { retryAfterSeconds: Math.floor(seconds) }),
  }
}

function parseCauses(value: Json | undefined): readonly StatusCause[] {
  const causes = Array.isArray(value) ? (value as readonly Json[]) : []
  return causes
    .filter(isObject)
    .slice(0, maxCauses)
    .map(
      (one) =>
        ({ message: '', ...stringFields(one, ['reason', 'message', 'field']) }) as StatusCause,
    )
}

/** The named fields that hold non-empty strings. */
function stringFields(
  from: JsonObject,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = stringOrEmpty(from[name])
      return text === '' ? [] : [[name, text] as const]
    }),
  )
}

function stringOrEmpty(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
