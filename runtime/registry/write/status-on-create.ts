import type { ApiObject } from '../../kernel/meta/object.ts'
import { hasSubresource, isWritable } from '../strategy/writable-fields.ts'
import type { ObjectWrite } from './object-write.ts'

/**
 * The write of a new object without a status and without what was wrong with it, where the status is a path of its own: only
 * a write through that path sets it.
 */
export function withoutStatusOnCreate(write: ObjectWrite): ObjectWrite {
  const { kind } = write.target
  if (!hasSubresource(kind, 'status') || kind.statusOnCreate) return write
  const { status, ...object } = write.object as ApiObject & { readonly status?: unknown }
  const fieldErrors = write.fieldErrors.filter(({ path }) =>
    isWritable({ keeps: ['status'] }, path),
  )
  return { ...write, object, fieldErrors }
}
