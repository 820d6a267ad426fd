/** What comes of calling a webhook when it does not say yes (supplement ). */

import {
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { internalError } from '../chain/errors.ts'

/** The webhook could not be asked, or its answer is none. Whether that refuses the request is for its policy to say. */
export class WebhookCallError extends Error {
  override readonly name = 'CallFailure'
  readonly webhook: string

  constructor(webhook: string, why: string) {
    super(`failed calling webhook "${webhook}": ${why}`)
    this.webhook = webhook
  }
}

/** How a failed call reads for whoever made the request. */
export function failClosedError(failure: WebhookCallError): StatusError {
  return internalError(failure.message, failure)
}

/** The webhook may leave something behind, and the request must not. */
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

/** The webhook refuses, in its own words and with its own code, as far as they are those of a refusal. */
export function denialError(webhook: string, status: Json | undefined): StatusError {
  const said: JsonObject = isObject(status) ? status : {}
  const [message, reason] = [stringOrEmpty(said.message), stringOrEmpty(said.reason)]
  const why = message || reason
  const start = `admission webhook "${webhook}" denied the request`
  const known = reasons.find((one) => one === reason)
  const code = typeof said.code === 'number' && Number.isInteger(said.code) ? said.code : 0
  const details = parseDetails(said.details)
  return new StatusError(
    known ?? '',
    why === '' ? `${start} without explanation` : `${start}: ${why}`,
    {
      code: code >= 400 && code <= 599 ? code : 400,
      ...(details && { details }),
    },
  )
}

/** How many causes of one refusal are passed on. */
const maxCauses = 100

/** As much of a refusal's details as clients know. */
function parseDetails(value: Json | undefined): StatusDetails | undefined {
  if (!isObject(value)) return undefined
  const { retryAfterSeconds: seconds } = value
  const causes = Array.isArray(value.causes) ? (value.causes as readonly Json[]) : []
  return {
    ...stringFields(value, ['name', 'group', 'kind', 'uid']),
    ...(causes.length > 0 && {
      causes: causes
        .filter(isObject)
        .slice(0, maxCauses)
        .map(
          (one) =>
            ({ message: '', ...stringFields(one, ['reason', 'message', 'field']) }) as StatusCause,
        ),
    }),
    ...(typeof seconds === 'number' && seconds > 0 && { retryAfterSeconds: Math.floor(seconds) }),
  }
}

/** The named fields that are texts and not empty. */
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
