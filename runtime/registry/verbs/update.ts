import type { UpdateCall } from '../contract/context.ts'
import type { Body, ObjectTarget, WriteOptions, WriteResult } from '../contract/contract.ts'
import { conflict, notFound } from '../contract/errors.ts'
import { parseResourceVersion } from '../storage/resource-version.ts'
import { withWarnings } from '../strategy/admission.ts'
import { type Draft, decodeBody } from '../strategy/decode.ts'
import { withDistinctOwners } from '../strategy/duplicate-owners.ts'
import { checkName } from '../strategy/request-identity.ts'
import { createObject } from '../write/create-object.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { uidMismatch } from '../write/preconditions.ts'
import { updateOrCreate } from '../write/update-or-create.ts'

/**
 * Replaces an object, or makes it where the kind allows that.
 *
 * The way of a PUT: `decode` reads the body; `guaranteed-update` reads the stored object and tries until no other write comes
 * between; `prepare-update` is the list of steps that each attempt passes; `store-update` writes what they leave.
 *
 * @throws StatusError NotFound, Conflict, Invalid with every field error, or as admission refuses.
 */
export async function update(call: UpdateCall, body: Body): Promise<WriteResult> {
  const { target, options } = call
  const decoded = await decodeBody(call.context.scheme, target, body, options.fieldValidation)
  await withWarnings(decoded.warnings, async () => checkName(target, decoded.object))
  const draft = withDistinctOwners(decoded)
  return updateOrCreate(
    () => guaranteedUpdate(call, () => draft),
    async () => {
      await withWarnings(draft.warnings, async () => checkCreateOnUpdate(target, draft, options))
      const { subresource: _, ...whole } = target
      return createObject({ ...call, target: whole, makesMissing: true }, draft)
    },
  )
}

/**
 * A PUT of an object that is not there makes it only for kinds such as leases, also through the path of their status. No uid is
 * that of an object that is not there; a version has to be one, and says nothing more.
 */
function checkCreateOnUpdate(
  { kind, name }: ObjectTarget,
  { object }: Draft,
  { resourceVersion }: WriteOptions,
): void {
  const { uid, resourceVersion: version } = object.metadata
  if (uid) throw conflict(kind, name, uidMismatch(uid, ''))
  if (!kind.createOnUpdate) throw notFound(kind, name)
  for (const text of [version, resourceVersion]) parseResourceVersion(text)
}
