import { chainAwaitable } from '../../kernel/async/awaitable.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { RegistryContext, UpdateCall } from '../contract/context.ts'
import type { Body, Item, ObjectTarget, ReadOptions, WriteResult } from '../contract/contract.ts'
import { notFound } from '../contract/errors.ts'
import { withWarnings } from '../strategy/admission.ts'
import { decodeBody } from '../strategy/decode.ts'
import { type Patch, patchedDraft } from '../strategy/patched.ts'
import { checkName } from '../strategy/request-identity.ts'
import { admittedAsScale, toScale, withScaleReplicas } from '../strategy/scale.ts'
import type { ScaleSubresource } from '../strategy/scale-subresource.ts'
import { get } from '../verbs/get.ts'
import { guaranteedUpdate, type UpdateFunction } from '../write/guaranteed-update.ts'

/** Reads an object as its scale. @throws StatusError NotFound, of built-in kinds with the name of the subresource. */
export async function getScale(
  context: RegistryContext,
  target: ObjectTarget,
  scale: ScaleSubresource,
  options: ReadOptions,
): Promise<Item> {
  try {
    return toScale(scale, await get(context, target, options))
  } catch (error) {
    const { kind, name } = target
    if (kind.customResource !== undefined || !isStatus(error, 'NotFound')) throw error
    const group = kind.group || scale.kind.group
    throw notFound({ ...kind, group, plural: `${kind.plural}/scale` }, name)
  }
}

/** Sets the replicas from a scale; its version and uid, where it has them, must be the object's. */
export async function updateScale(
  call: UpdateCall,
  scale: ScaleSubresource,
  body: Body,
): Promise<WriteResult> {
  const draft = await decodeBody(call.context.scheme, scale, body, call.options.fieldValidation)
  const { warnings } = draft
  await withWarnings(warnings, async () => checkName(call.target, draft.object))
  return writeScale(call, scale, () => draft, warnings)
}

/** Patches the scale of an object: the patch is applied to the scale, then the replicas to the object. */
export async function patchScale(
  call: UpdateCall,
  scale: ScaleSubresource,
  patch: Patch,
): Promise<WriteResult> {
  return writeScale(call, scale, (current) =>
    patchedDraft(call.context.scheme, patch, toScale(scale, current)),
  )
}

/**
 * Updates the object through its scale. Plugins see the scale, the field manager gets the replicas of the object. `warnings` are told
 * also where there is no object.
 */
async function writeScale(
  call: UpdateCall,
  scale: ScaleSubresource,
  update: UpdateFunction,
  warnings: readonly string[] = [],
): Promise<WriteResult> {
  const { target } = call
  const result = await guaranteedUpdate(
    call,
    (current) =>
      chainAwaitable(update(current), (draft) =>
        withWarnings(draft.warnings, async () =>
          withScaleReplicas(target, scale, draft, current.object()),
        ),
      ),
    admittedAsScale(scale),
  )
  if (result === undefined)
    return withWarnings(warnings, () => Promise.reject(notFound(target.kind, target.name)))
  return { ...result, item: toScale(scale, result.item) }
}
