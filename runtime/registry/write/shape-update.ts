import type { FieldError } from '../../kernel/validation/field-error.ts'
import { dropDisabledFields, isDropped } from '../strategy/drop-disabled-fields.ts'
import {
  copyAnnotatedFields,
  copyWritableFields,
  isWritable,
  writableFieldsOf,
} from '../strategy/writable-fields.ts'
import type { ObjectUpdate } from './object-write.ts'
import { refuseIfTooMany } from './refuse-too-many-errors.ts'

/**
 * Takes from the stored object what the path of the request does not write, and drops the errors found there. Fields of disabled
 * gates go before the kind has its say, so that they are no change to it.
 */
export function keepUnwritable(write: ObjectUpdate): ObjectUpdate {
  const { target, draft, strategy, old } = write
  const fields = writableFieldsOf(target.kind, target.subresource)
  const writable = ({ path }: { readonly path: string }) => isWritable(fields, path)
  refuseIfTooMany(write, draft.fieldErrors.filter(writable))
  const written = copyWritableFields(fields, write.object, old)
  const asked = copyAnnotatedFields(target.kind, fields, written, old)
  const enabled = dropDisabledFields(write.context.gates, target.kind, asked, old)
  const counts = (error: FieldError) => writable(error) && !isDropped(enabled, error.path)
  return {
    ...write,
    object: strategy.prepareUpdate(enabled.object, old),
    fieldErrors: write.fieldErrors.filter(counts),
  }
}
