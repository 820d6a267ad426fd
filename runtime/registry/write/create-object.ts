import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { WriteCall } from '../contract/context.ts'
import type { WriteResult } from '../contract/contract.ts'
import { beginAdmission, settleAdmission, withWarnings } from '../strategy/admission.ts'
import type { Draft } from '../strategy/decode.ts'
import { withRequestNamespace } from '../strategy/request-identity.ts'
import { prepareCreate } from './prepare-create.ts'
import { storeNew } from './store-new.ts'

/**
 * Makes a decoded object a new one and stores it, under its own name or a generated one.
 *
 * @throws StatusError AlreadyExists, or as validation, admission or the store refuses.
 */
export async function createObject(call: WriteCall, decoded: Draft): Promise<WriteResult> {
  const { target } = call
  if (decoded.large) await yieldToEventLoop()
  const object = await withWarnings(decoded.warnings, async () =>
    withRequestNamespace(target, decoded.object),
  )
  const draft = { ...decoded, object }
  const { name: requested, ...collection } = target
  const name = draft.object.metadata.name ?? requested
  const named = { ...collection, ...(name && { name }) }
  const admission = beginAdmission({ ...call, target: named }, 'CREATE')
  return settleAdmission(admission, () =>
    withWarnings(draft.warnings, async () =>
      storeNew(await prepareCreate({ ...call, admission }, draft)),
    ),
  )
}
