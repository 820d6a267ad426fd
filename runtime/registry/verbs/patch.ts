import type { UpdateCall } from '../contract/context.ts'
import type { WriteResult } from '../contract/contract.ts'
import { notFound } from '../contract/errors.ts'
import { type Patch, patchedDraft } from '../strategy/patched.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'

/** Patches an object. A patch that names no version is repeated until no other write comes between. */
export async function patchObject(call: UpdateCall, patch: Patch): Promise<WriteResult> {
  const { kind, name } = call.target
  const result = await guaranteedUpdate(call, (current) =>
    patchedDraft(call.context.scheme, patch, current),
  )
  if (result === undefined) throw notFound(kind, name)
  return result
}
