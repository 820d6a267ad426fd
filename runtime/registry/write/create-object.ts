import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target, WriteOptions, WriteResult } from '../contract/contract.ts'
import { beginAdmission, settleAdmission } from '../strategy/admission.ts'
import { type Draft, withRequestNamespace } from '../strategy/decode.ts'
import { prepareCreate } from './prepare-create.ts'
import { storeNew } from './store-new.ts'

/**
 * Makes a decoded object a new one and stores it, under its own name or a generated one.
 *
 * @throws StatusError AlreadyExists, or as validation, admission or the store refuses.
 */
export async function createObject(
  context: RegistryContext,
  target: Target,
  decoded: Draft,
  options: WriteOptions,
): Promise<WriteResult> {
  if (decoded.large) await yieldToEventLoop()
  const draft = { ...decoded, object: withRequestNamespace(target, decoded.object) }
  const { name: requested, ...collection } = target
  const name = draft.object.metadata.name ?? requested
  const admission = beginAdmission(
    context,
    { ...collection, ...(name && { name }) },
    'CREATE',
    options,
  )
  return settleAdmission(admission, async () =>
    storeNew(await prepareCreate({ context, target, options, admission }, draft)),
  )
}
