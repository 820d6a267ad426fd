import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid } from '../contract/errors.ts'
import { mergeFieldErrors } from '../strategy/field-errors.ts'
import type { ObjectWrite } from './object-write.ts'

/** An object of which the reader alone refuses so much is refused without any further check. */
export const maxReaderErrors = 1000

/** Refuses an object that is hopeless already, before plugins or strategies spend time on it. */
export function refuseTooManyErrors<W extends ObjectWrite>(write: W): W {
  refuseIfTooMany(write, write.object, write.fieldErrors)
  return write
}

export function refuseIfTooMany(
  { target: { kind } }: Pick<ObjectWrite, 'target'>,
  { metadata: { name = '' } }: ApiObject,
  errors: readonly FieldError[],
): void {
  if (errors.length < maxReaderErrors) return
  throw invalid(kind, name, mergeFieldErrors([], errors, []))
}
