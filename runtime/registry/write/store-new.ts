import type { StatusError } from '../../kernel/errors/status-error.ts'
import type { WriteResult } from '../contract/contract.ts'
import {
  alreadyExists,
  fromStoreError,
  generatedNameTaken,
  isStoreError,
} from '../contract/errors.ts'
import { itemOf, itemOfObject } from '../storage/item.ts'
import { objectKey } from '../storage/keys.ts'
import { withWarnings } from '../strategy/admission.ts'
import { dropManagedFieldsIfTooLarge } from './drop-managed-fields-if-too-large.ts'
import type { ObjectWrite } from './object-write.ts'

/**
 * Stores a prepared new object; a dry run only looks whether its name is free. What was allocated to the object is its own once
 * it is stored. A refusal comes with the warnings of the object.
 *
 * @throws StatusError AlreadyExists, or RequestEntityTooLarge.
 */
export function storeNew(write: ObjectWrite): Promise<WriteResult> {
  return withWarnings(write.warnings, () => storeWarned(write))
}

async function storeWarned(write: ObjectWrite): Promise<WriteResult> {
  const { context, target, options, name, object, admission } = write
  const key = objectKey(target, name)
  const warnings = [...write.warnings, ...(admission?.warnings ?? [])]
  if (options.dryRun) {
    if ((await context.store.get(key)) !== undefined) throw await nameTaken(write)
    return { item: itemOfObject(object), created: true, warnings }
  }
  try {
    const entry = await dropManagedFieldsIfTooLarge(write, (value) =>
      context.store.create(key, value),
    )
    context.allocations?.commit(object)
    return { item: itemOf(entry), created: true, warnings }
  } catch (error) {
    throw isStoreError(error, 'AlreadyExists') ? await nameTaken(write) : fromStoreError(error)
  }
}

/**
 * The 409 of a taken name: for a generated name the client is told to try again, for the name of a terminating object to
 * wait.
 */
async function nameTaken(write: ObjectWrite): Promise<StatusError> {
  const { context, target, draft, name } = write
  if (!draft.object.metadata.name) return generatedNameTaken(target.kind, name)
  const holder = await context.store.get(objectKey(target, name))
  const terminating = holder && itemOf(holder).object().metadata.deletionTimestamp !== undefined
  return alreadyExists(target.kind, name, terminating === true)
}
