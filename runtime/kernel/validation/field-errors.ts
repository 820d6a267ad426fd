/** Makes field errors, with the messages of the public API. */

import type { CauseReason, FieldError } from './field-error.ts'
import { goValue } from './go-value.ts'

/** A required value is missing; `detail` says when it is required. */
export function required(path: string, detail?: string): FieldError {
  return of('FieldValueRequired', path, withDetail('Required value', detail))
}

/** A value that is not valid; `detail` says why. */
export function invalid(path: string, value: unknown, detail: string): FieldError {
  const text = `Invalid value: ${goValue(value)}`
  return of('FieldValueInvalid', path, withDetail(text, detail || undefined))
}

/** A value outside a closed set, which the message lists in the given order. */
export function unsupported(
  path: string,
  value: unknown,
  supported: readonly string[],
): FieldError {
  const values = supported.map(goValue).join(', ')
  const message = `Unsupported value: ${goValue(value)}: supported values: ${values}`
  return of('FieldValueNotSupported', path, message)
}

/** A field that may not be set or changed. */
export function forbidden(path: string, detail: string): FieldError {
  return of('FieldValueForbidden', path, `Forbidden: ${detail}`)
}

/** A value that must be unique and is not. */
export function duplicate(path: string, value: unknown): FieldError {
  return of('FieldValueDuplicate', path, `Duplicate value: ${goValue(value)}`)
}

/** A reference to something that does not exist. */
export function notFound(path: string, value: unknown): FieldError {
  return of('FieldValueNotFound', path, `Not found: ${goValue(value)}`)
}

/** A value that could not be judged. */
export function internal(path: string, detail: string): FieldError {
  return of('InternalError', path, `Internal error: ${detail}`)
}

/** A value that is too long, in bytes. */
export function tooLong(path: string, most: number): FieldError {
  return of('FieldValueTooLong', path, `Too long: must have at most ${most} bytes`)
}

/** One error for each detail. */
export function invalidAll(path: string, value: unknown, details: readonly string[]): FieldError[] {
  return details.map((detail) => invalid(path, value, detail))
}

function of(reason: CauseReason, path: string, message: string): FieldError {
  return { path, reason, message }
}

function withDetail(text: string, detail: string | undefined): string {
  return detail === undefined ? text : `${text}: ${detail}`
}
