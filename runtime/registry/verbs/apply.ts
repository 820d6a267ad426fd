import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { UpdateCall } from '../contract/context.ts'
import type { Body, ObjectTarget, WriteOptions, WriteResult } from '../contract/contract.ts'
import { conflict, notFound } from '../contract/errors.ts'
import { existingObjectKey } from '../storage/keys.ts'
import { duplicateWarnings, readConfig } from '../strategy/apply-body.ts'
import { admittedAsScale, scaleAsParent, toScale } from '../strategy/scale.ts'
import { type ScaleSubresource, scaleSubresourceOf } from '../strategy/scale-subresource.ts'
import { createObject } from '../write/create-object.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { applyToAbsent, applyToLive } from '../write/server-side-apply.ts'
import { updateOrCreate } from '../write/update-or-create.ts'

/**
 * Applies one manager's whole intent: makes the object if it is not there, else merges into it (A4.58, A4.59). An apply
 * that lost against another write is repeated on what that one left.
 *
 * @throws StatusError Conflict with the managers who disagree, unless forced; Invalid, or as admission refuses.
 */
export async function apply(call: UpdateCall, body: Body): Promise<WriteResult> {
  const { target, options } = call
  const scale = scaleSubresourceOf(target)
  const config = await configOf(call, scale, body)
  const warnings = duplicateWarnings(body, options)
  const request = { ...call, config, warnings, large: body.large ?? false }
  const form = scale && admittedAsScale(scale)
  const result = await updateOrCreate(
    () => guaranteedUpdate(call, (item) => applyToLive(request, item), form),
    async () => {
      checkCreateOnApply(target, config, options)
      return createObject(call, await applyToAbsent(request))
    },
  )
  return scale === undefined ? result : { ...result, item: toScale(scale, result.item) }
}

/**
 * The configuration of the object itself: that of a scale is translated to the object that it scales. Of a subresource it is told
 * first that there is no object.
 */
function configOf(
  call: UpdateCall,
  scale: ScaleSubresource | undefined,
  body: Body,
): Awaitable<JsonObject> {
  const { target } = call
  try {
    if (scale === undefined) return readConfig(target, body.value)
    return scaleAsParent(target, scale, readConfig({ ...target, kind: scale.kind }, body.value))
  } catch (error) {
    if (target.subresource === undefined) throw error
    return checkExists(call).then(() => {
      throw error
    })
  }
}

async function checkExists({ context, target }: UpdateCall): Promise<void> {
  const entry = await context.store.get(existingObjectKey(target))
  if (entry === undefined) throw notFound(target.kind, target.name)
}

/** An apply makes an object only through its own path, and only if it names no version and no uid to find. */
function checkCreateOnApply(
  { kind, name, subresource }: ObjectTarget,
  config: JsonObject,
  options: WriteOptions,
): void {
  if (subresource !== undefined) throw notFound(kind, name)
  const { resourceVersion, uid } = config.metadata as JsonObject
  if (resourceVersion || uid || options.resourceVersion) throw conflict(kind, name)
}
