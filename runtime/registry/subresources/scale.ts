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

/** Reads an object as its scale. */
export async function getScale(
  context: RegistryContext,
  target: ObjectTarget,
  scaling: ScaleSubresource,
  options: ReadOptions,
): Promise<Item> {
  return toScale(scaling, await get(context, target, options))
}

/** Sets the wanted number from a scale; its version and uid, where it has them, must be the object's. */
export async function updateScale(
  context: RegistryContext,
  target: ObjectTarget,
  scaling: ScaleSubresource,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  const draft = decodeBody(scaling, body, options.fieldValidation)
  return writeScale(context, target, scaling, options, () => draft)
}

/** Patches the scale of an object. */
export async function patchScale(
  context: RegistryContext,
  target: ObjectTarget,
  scaling: ScaleSubresource,
  patch: PatchFunction,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  return writeScale(context, target, scaling, options, (current) =>
    patchedDraft(scaling.kind, patch, body, options, toScale(scaling, current)),
  )
}

async function writeScale(
  context: RegistryContext,
  target: ObjectTarget,
  scaling: ScaleSubresource,
  options: WriteOptions,
  wanted: (current: Item) => Draft,
): Promise<WriteResult> {
  const wanting = (current: Item) =>
    withScaleReplicas(target, scaling, wanted(current), current.object())
  const written = await guaranteedUpdate(
    context,
    target,
    options,
    wanting,
    admittedAsScale(scaling),
  )
  if (written === undefined) throw notFound(target.kind, target.name)
  return { ...written, item: toScale(scaling, written.item) }
}
