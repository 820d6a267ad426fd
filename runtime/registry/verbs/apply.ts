import type { JsonObject } from '../../kernel/values/json.ts'
import type { UpdateCall } from '../contract/context.ts'
import type { Body, ObjectTarget, WriteOptions, WriteResult } from '../contract/contract.ts'
import { conflict, notFound } from '../contract/errors.ts'
import { parseResourceVersion } from '../storage/resource-version.ts'
import { duplicateWarnings, readConfig } from '../strategy/apply-body.ts'
import { admittedAsScale, scaleAsParent, toScale } from '../strategy/scale.ts'
import { type ScaleSubresource, scaleSubresourceOf } from '../strategy/scale-subresource.ts'
import { createObject } from '../write/create-object.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { applyToAbsent, applyToLive } from '../write/server-side-apply.ts'
import { updateOrCreate } from '../write/update-or-create.ts'
import { get } from './get.ts'

/**
 * Applies one manager's whole intent: makes the object if it is not there, else merges into it (A4.58, A4.59). An apply
 * that lost against another write is repeated on what that one left.
 *
 * @throws StatusError Conflict with the managers who disagree, unless forced; Invalid, or as admission refuses.
 */
export async function apply(call: UpdateCall, body: Body): Promise<WriteResult> {
  const { target, options } = call
  const scale = scaleSubresourceOf(target)
  const config = await configOrRefusal(call, scale, body)
  const warnings = duplicateWarnings(body, options)
  const request = { ...call, config, warnings, large: body.large ?? false }
  const form = scale && admittedAsScale(scale)
  const result = await updateOrCreate(
    () => guaranteedUpdate(call, (item) => applyToLive(request, item), form),
    async () => {
      if (target.subresource !== undefined) throw notFound(target.kind, target.name)
      const draft = await applyToAbsent(request)
      checkCreateOnApply(target, config, options)
      return createObject({ ...call, makesMissing: true }, draft)
    },
  )
  return scale === undefined ? result : { ...result, item: toScale(scale, result.item) }
}

/** What is wrong with a configuration for a subresource is told only where there is an object. */
async function configOrRefusal(
  { context, target }: UpdateCall,
  scale: ScaleSubresource | undefined,
  body: Body,
): Promise<JsonObject> {
  try {
    return configOf(target, scale, body)
  } catch (refusal) {
    if (target.subresource !== undefined) await get(context, target, {})
    throw refusal
  }
}

/** The configuration of the object itself: that of a scale is translated to the object that it scales. */
function configOf(
  target: ObjectTarget,
  scale: ScaleSubresource | undefined,
  body: Body,
): JsonObject {
  if (scale === undefined) return readConfig(target, body.value)
  return scaleAsParent(target, scale, readConfig({ ...target, kind: scale.kind }, body.value))
}

/** No uid is that of an object that is not there; a version has to be one, and says nothing more. */
function checkCreateOnApply(
  { kind, name }: ObjectTarget,
  config: JsonObject,
  options: WriteOptions,
): void {
  const { resourceVersion, uid } = config.metadata as Record<string, string | null | undefined>
  if (uid) {
    const why = `the provided object specified uid ${uid}, and no existing object was found`
    throw conflict(kind, name, `uid mismatch: ${why}`)
  }
  parseResourceVersion(resourceVersion ?? undefined)
  if (options.resourceVersion) throw conflict(kind, name)
}
