import { hasSubresource } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { copyAnnotatedFields, isWritable } from '../strategy/writable-fields.ts'
import type { ObjectWrite } from './object-write.ts'

/**
 * The write of a new object without a status and without what was wrong with it, where the status is a path of its own: only
 * a write through that path sets it.
 */
export function withoutStatusOnCreate(write: ObjectWrite): ObjectWrite {
  const { kind } = write.target
  if (!hasSubresource(kind, 'status') || kind.statusOnCreate) return write
  const { status, ...rest } = write.object as ApiObject & { readonly status?: unknown }
  const object = copyAnnotatedFields(kind, { keeps: ['status'] }, rest, {} as ApiObject)
  const fieldErrors = write.fieldErrors.filter(({ path }) =>
    isWritable({ keeps: ['status'] }, path),
  )
  return { ...write, object, fieldErrors }
}
