import type { RegistryContext } from '../contract/context.ts'
import type {
  Body,
  Item,
  ObjectTarget,
  ReadOptions,
  WriteOptions,
  WriteResult,
} from '../contract/contract.ts'
import { notFound } from '../contract/errors.ts'
import { type Draft, decodeBody } from '../strategy/decode.ts'
import { type PatchFunction, patchedDraft } from '../strategy/patched.ts'
import {
  admittedAsScale,
  type ScaleSubresource,
  toScale,
  withScaleReplicas,
} from '../strategy/scale.ts'
import { get } from '../verbs/get.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'

/** Reads an object as its scale. @throws StatusError NotFound. */
export async function getScale(
  context: RegistryContext,
  target: ObjectTarget,
  scale: ScaleSubresource,
  options: ReadOptions,
): Promise<Item> {
  return toScale(scale, await get(context, target, options))
}

/** Sets the replicas from a scale; its version and uid, where it has them, must be the object's. */
export async function updateScale(
  context: RegistryContext,
  target: ObjectTarget,
  scale: ScaleSubresource,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  const draft = decodeBody(scale, body, options.fieldValidation)
  return writeScale(context, target, scale, options, () => draft)
}

/** Patches the scale of an object: the patch is applied to the scale, then the replicas to the object. */
export async function patchScale(
  context: RegistryContext,
  target: ObjectTarget,
  scale: ScaleSubresource,
  patch: PatchFunction,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  return writeScale(context, target, scale, options, (current) =>
    patchedDraft(scale.kind, patch, body, options, toScale(scale, current)),
  )
}

/** Updates the object through its scale. Plugins see the scale, the field manager gets the replicas of the object. */
async function writeScale(
  context: RegistryContext,
  target: ObjectTarget,
  scale: ScaleSubresource,
  options: WriteOptions,
  update: (current: Item) => Draft,
): Promise<WriteResult> {
  const updateObject = (current: Item) =>
    withScaleReplicas(target, scale, update(current), current.object())
  const result = await guaranteedUpdate(
    context,
    target,
    options,
    updateObject,
    admittedAsScale(scale),
  )
  if (result === undefined) throw notFound(target.kind, target.name)
  return { ...result, item: toScale(scale, result.item) }
}
