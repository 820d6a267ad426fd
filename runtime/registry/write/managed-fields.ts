/** The managed fields of an object once it is written. */
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import {
  differInTimesOnly,
  type ManagedFields,
  managedFieldsOf,
  managedFieldsOnCreate,
  managedFieldsOnUpdate,
  withManagedFields,
  withoutManagedFields,
} from '../strategy/managed-fields.ts'
import { copyWritableFields, managedViewOf } from '../strategy/writable-fields.ts'
import type { ObjectUpdate, ObjectWrite } from './object-write.ts'

/** Makes the request's manager the manager of what it sets; an apply brings its own managed fields. */
export function trackNewFields(write: ObjectWrite): Awaitable<ObjectWrite> {
  const { context, target, options, draft } = write
  if (draft.managed !== undefined) return tracked(write, draft.managed)
  const { manager, untracked } = options
  if (untracked) return write
  const { large = false } = draft
  const sent = withManagedFields(write.requested, managedFieldsOf(draft.object))
  const valid = draft.fieldErrors.length === 0
  return chainAwaitable(
    managedFieldsOnCreate(context, target, sent, {
      requested: draft.object,
      manager,
      large,
      valid,
    }),
    (managedFields) => tracked(write, managedFields),
  )
}

/**
 * Makes the request's manager the manager of what it changes. An apply brings its own managed fields. A write that would change
 * nothing but times in them changes nothing.
 */
export function trackChangedFields(write: ObjectUpdate): Awaitable<ObjectUpdate> {
  const { context, target, options, draft, old } = write
  if (draft.managed !== undefined) return tracked(write, timedByChange(write, draft.managed))
  const { manager } = options
  const { large = false } = draft
  const object = requestAlone(write)
  const valid = draft.fieldErrors.length === 0
  const sent = managedFieldsOf(draft.object)
  return chainAwaitable(
    managedFieldsOnUpdate(context, target, {
      old,
      object,
      requested: write.requested,
      sent,
      manager,
      large,
      valid,
    }),
    (managedFields) => tracked(write, managedFields && timedByChange(write, managedFields)),
  )
}

/** The stored records where nothing would change but times in them: what was sent may say less than what is kept. */
function timedByChange(
  { object, old }: ObjectUpdate,
  managed: ManagedFields,
): ManagedFields | undefined {
  const stored = managedFieldsOf(old)
  if (managed === stored || object.metadata.generation !== old.metadata.generation) return managed
  const same =
    deepEqual(withoutManagedFields(object), withoutManagedFields(old)) &&
    differInTimesOnly(managed, stored)
  return same ? stored : managed
}

/** The write with the managed fields in the object. */
function tracked<W extends ObjectWrite>(write: W, managedFields: ManagedFields | undefined): W {
  return { ...write, object: withManagedFields(write.object, managedFields) }
}

/** What the request itself asks for, before plugins, allocators, gates and the kind have their say. */
function requestAlone({ target, requested, old }: ObjectUpdate): ApiObject {
  return copyWritableFields(managedViewOf(target.kind, target.subresource), requested, old)
}
