import { readManagers } from '../../apply/apply.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { managedFieldsOf, withManagedFields } from '../strategy/managed-fields.ts'
import type { ObjectWrite } from './object-write.ts'

/**
 * The write after plugins left `after` of `before`: managed fields that they changed count as if the request had brought them.
 * Invalid ones are dropped with a warning, and the earlier ones stay.
 */
export function withPluginManagedFields<W extends ObjectWrite>(
  write: W,
  before: ApiObject,
  after: ApiObject,
): W {
  const left = managedFieldsOf(after)
  if (deepEqual(left, managedFieldsOf(before))) return write
  const { draft, warnings } = write
  if (readManagers(left) === undefined) return { ...write, warnings: [...warnings, warning] }
  const object = withManagedFields(draft.object, left)
  const managed = draft.managed && left
  return { ...write, draft: { ...draft, object, ...(managed && { managed }) } }
}

const warning =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating ' +
  'admission controller; please fix your requests: a record is invalid'
