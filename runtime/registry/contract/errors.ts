/**
 * The refusals of the registry, in the reference's words: clients branch on reasons and details, people read messages.
 */
import { type AnyKind, resourceName } from '../../kernel/descriptors/kind.ts'
import { type StatusDetails, StatusError } from '../../kernel/errors/status-error.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import { StoreError } from '../../store/store.ts'

/** The details of a Status: the resource and, if there is one, the object. */
export function statusDetails(kind: AnyKind, name?: string): StatusDetails {
  return { ...(name && { name }), ...(kind.group && { group: kind.group }), kind: kind.plural }
}

/** 404: there is no such object. */
export function notFound(kind: AnyKind, name: string): StatusError {
  return new StatusError('NotFound', `${resourceName(kind)} ${quoted(name)} not found`, {
    details: statusDetails(kind, name),
  })
}

/** 403: the object may not be treated so. */
export function forbidden(kind: AnyKind, name: string, why: string): StatusError {
  const message = `${resourceName(kind)} "${name}" is forbidden: ${why}`
  return new StatusError('Forbidden', message, { details: statusDetails(kind, name) })
}

/** 409: the name is taken; `terminating` while the object that has it is being deleted. */
export function alreadyExists(kind: AnyKind, name: string, terminating: boolean): StatusError {
  const text = `${resourceName(kind)} "${name}" already exists`
  return new StatusError('AlreadyExists', terminating ? `object is being deleted: ${text}` : text, {
    details: statusDetails(kind, name),
  })
}

/** 409: a generated name was taken. The client is told to try again. */
export function generatedNameTaken(kind: AnyKind, name: string): StatusError {
  return new StatusError(
    'AlreadyExists',
    `${resourceName(kind)} "${name}" already exists, the server was not able to generate a unique name for the object`,
    { details: { ...statusDetails(kind, name), retryAfterSeconds: 1 } },
  )
}

/** What optimistic concurrency control tells the writer that lost. */
const modifiedMessage =
  'the object has been modified; please apply your changes to the latest version and try again'

/** 409: a write lost against another one, or a precondition does not hold. */
export function conflict(kind: AnyKind, name: string, why: string = modifiedMessage): StatusError {
  return new StatusError(
    'Conflict',
    `Operation cannot be fulfilled on ${resourceName(kind)} "${name}": ${why}`,
    { details: statusDetails(kind, name) },
  )
}

/** 422: every field error of an object, each once; of very many the first, and how many more there are. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const { named, more } = limitFieldErrors(errors)
  const messages = new Set(named.map(({ path, message }) => `${path || '<nil>'}: ${message}`))
  const texts = [...messages, ...(more > 0 ? [`and ${more} more`] : [])]
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new StatusError('Invalid', `${subject} "${name}" is invalid: ${list}`, {
    details: {
      ...(name && { name }),
      ...(kind.group && { group: kind.group }),
      ...(kind.kind && { kind: kind.kind }),
      causes: named.map(({ path, reason, message }) => ({
        reason,
        message,
        field: path || '<nil>',
      })),
    },
  })
}

/** 410: the history that a request refers to is gone; `continueToken` reads the rest at the latest version. */
export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError('Expired', message, continueToken === undefined ? {} : { continueToken })
}

/** 504: the version is ahead of everything written so far. */
export function resourceVersionTooLarge(version: number, current: number): StatusError {
  return new StatusError(
    'Timeout',
    `Timeout: Too large resource version: ${version}, current: ${current}`,
    {
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    },
  )
}

/** The StatusError of a store error that has nothing to do with the object; any other error as it is. */
export function fromStoreError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error
  switch (error.reason) {
    case 'TooLarge':
      return new StatusError(
        'RequestEntityTooLarge',
        `Request entity too large: ${error.message}`,
        {
          cause: error,
        },
      )
    case 'Closed':
      return new StatusError('ServiceUnavailable', 'the server is shutting down', { cause: error })
    case 'Expired':
      return new StatusError('Expired', error.message, { cause: error })
    case 'CannotWrite':
      return new StatusError('InternalError', `Internal error occurred: ${error.message}`, {
        cause: error,
      })
    case 'Unavailable':
      return new StatusError('ServiceUnavailable', error.message, {
        details: { retryAfterSeconds: 1 },
        cause: error,
      })
    // Nothing invites to repeat what may have been done.
    case 'Unknown':
      return new StatusError('Timeout', `Timeout: ${error.message}`, { cause: error })
    default:
      return error
  }
}

/** True for an error of the store with this reason. */
export function isStoreError(error: unknown, reason: StoreError['reason']): error is StoreError {
  return error instanceof StoreError && error.reason === reason
}

/** How many field errors a Status names, and how many characters they may have together. */
const maxFieldErrors = 1000
const maxErrorText = 256 * 1024

/** The first field errors, as many as one Status may carry, and how many there are beyond them. */
export function limitFieldErrors(errors: readonly FieldError[]): {
  readonly named: readonly FieldError[]
  readonly more: number
} {
  let text = 0
  const end = errors.findIndex(({ path, message }, index) => {
    text += path.length + message.length
    return index > 0 && (index >= maxFieldErrors || text > maxErrorText)
  })
  const count = end < 0 ? errors.length : end
  return { named: errors.slice(0, count), more: errors.length - count }
}
