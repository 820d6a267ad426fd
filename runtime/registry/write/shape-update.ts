import type { ApiObject } from '../../kernel/meta/object.ts'
import {
  copyWritableFields,
  isWritable,
  type WritableFields,
  writableFieldsOf,
} from '../strategy/writable-fields.ts'
import type { ObjectUpdate } from './object-write.ts'
import { refuseIfTooMany } from './refuse-too-many-errors.ts'

/** Takes from the stored object what the path of the request does not write, and drops the errors found there. */
export function keepUnwritable(write: ObjectUpdate): ObjectUpdate {
  const { target, draft } = write
  const fields = writableFieldsOf(target.kind, target.subresource)
  const writable = ({ path }: { readonly path: string }) => isWritable(fields, path)
  refuseIfTooMany(write, draft.fieldErrors.filter(writable))
  const object = shapeUpdate(write, fields, write.object)
  return { ...write, object, fieldErrors: write.fieldErrors.filter(writable) }
}

/** What a request for `object` may make of the stored one. */
export function shapeUpdate(
  { strategy, old }: ObjectUpdate,
  fields: WritableFields,
  object: ApiObject,
): ApiObject {
  return strategy.prepareUpdate(copyWritableFields(fields, object, old), old)
}
