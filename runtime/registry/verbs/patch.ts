import type { RegistryContext } from '../contract/context.ts'
import type { Body, ObjectTarget, WriteOptions, WriteResult } from '../contract/contract.ts'
import { notFound } from '../contract/errors.ts'
import { type PatchFunction, patchedDraft } from '../strategy/patched.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'

/** Patches an object. A patch that names no version is repeated until no other write comes between. */
export async function patch(
  context: RegistryContext,
  target: ObjectTarget,
  patcher: PatchFunction,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  const written = await guaranteedUpdate(context, target, options, (current) =>
    patchedDraft(target.kind, patcher, body, options, current),
  )
  if (written === undefined) throw notFound(target.kind, target.name)
  return written
}
