/** Mutating admission plugins. What they set has no field manager. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import { withVersionOf } from '../strategy/resource-versions.ts'
import { withIdentityOf, withoutIdentity, withSystemMetadata } from '../strategy/system-metadata.ts'
import type { ObjectUpdate, ObjectWrite } from './object-write.ts'
import { withPluginManagedFields } from './plugin-managed-fields.ts'
import { withoutStatusOnCreate } from './status-on-create.ts'

/** Shows plugins a new object before it has an identity; they give it none. */
export async function mutateNew(write: ObjectWrite): Promise<ObjectWrite> {
  const { admission, strategy, draft, object } = write
  if (admission === undefined) return write
  const shown = withoutIdentity(object, draft.object.metadata.name)
  const changed = await admission.mutate(shown)
  if (changed === shown) return write
  const metadata =
    changed.metadata === shown.metadata ? object.metadata : withIdentityOf(object, changed.metadata)
  const fresh = withoutStatusOnCreate({ ...write, object: { ...changed, metadata } })
  const fieldErrors = unsettledErrors(fresh.fieldErrors, shown, fresh.object)
  const next = { ...fresh, object: strategy.defaults(fresh.object), fieldErrors }
  return withPluginManagedFields(next, shown, changed)
}

/** Shows plugins an update under the stored version; what the system owns stays as it is. */
export async function mutateUpdate(write: ObjectUpdate): Promise<ObjectUpdate> {
  const { admission, strategy, stored, old } = write
  if (admission === undefined) return write
  const shown = withVersionOf(stored, write.object)
  const changed = await admission.mutate(shown, stored)
  if (changed === shown) return write
  const object = withSystemMetadata(strategy.defaults(changed), old)
  const fieldErrors = unsettledErrors(write.fieldErrors, shown, object)
  const next = { ...write, object, fieldErrors, amended: true }
  return withPluginManagedFields(next, shown, changed)
}

/** What the reader refused, without the errors at fields that a plugin has changed since. */
function unsettledErrors(
  errors: readonly FieldError[],
  before: ApiObject,
  after: ApiObject,
): readonly FieldError[] {
  return errors.filter(({ path }) => {
    const steps = path.replaceAll(/\[(.*?)\]/g, '.$1')
    return deepEqual(valueAtPath(before, steps), valueAtPath(after, steps))
  })
}
