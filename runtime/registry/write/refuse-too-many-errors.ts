import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid } from '../contract/errors.ts'
import { mergeFieldErrors } from '../strategy/field-errors.ts'
import type { ObjectWrite } from './object-write.ts'

/** An object of which the reader alone refuses so much is refused without any further check. */
export const maxReaderErrors = 1000

/** Refuses an object that is hopeless already, before plugins or strategies spend time on it. */
export function refuseTooManyErrors<W extends ObjectWrite>(write: W): W {
  refuseIfTooMany(write, write.fieldErrors)
  return write
}

/** @throws StatusError Invalid with the first errors, if there are too many. */
export function refuseIfTooMany(
  { target: { kind }, name }: ObjectWrite,
  errors: readonly FieldError[],
): void {
  if (errors.length < maxReaderErrors) return
  throw invalid(kind, name, mergeFieldErrors([], errors, []))
}
