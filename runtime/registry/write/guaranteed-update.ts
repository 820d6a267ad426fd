import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { needsSlices, yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { Entry } from '../../store/store.ts'
import type { UpdateCall } from '../contract/context.ts'
import type { Item, WriteResult } from '../contract/contract.ts'
import { itemOf } from '../storage/item.ts'
import { existingObjectKey } from '../storage/keys.ts'
import {
  type AdmittedForm,
  beginAdmission,
  settleAdmission,
  withWarnings,
} from '../strategy/admission.ts'
import type { Draft } from '../strategy/decode.ts'
import { kindStrategy } from '../strategy/kind-strategy.ts'
import { draftFor } from '../strategy/request-identity.ts'
import type { UpdateRequest } from './object-write.ts'
import { checkUpdatePreconditions } from './preconditions.ts'
import { prepareUpdate } from './prepare-update.ts'
import { storeUpdate } from './store-update.ts'

/** Makes the draft of an update from the current object. Runs again on a newer one if another write was first. */
export type UpdateFunction = (current: Item) => Awaitable<Draft>

/**
 * Changes a stored object; undefined if it is not there. An attempt that lost against another write is repeated on what that
 * one left, so only a version that the request itself names can conflict.
 *
 * @throws StatusError as a precondition, validation, admission or the store refuses.
 */
export async function guaranteedUpdate(
  call: UpdateCall,
  update: UpdateFunction,
  form?: AdmittedForm,
): Promise<WriteResult | undefined> {
  const { context, target } = call
  const key = existingObjectKey(target)
  for (;;) {
    const entry = await context.store.get(key)
    if (entry === undefined) return undefined
    const admission = beginAdmission(call, 'UPDATE', form)
    const request = { ...call, admission }
    const result = await settleAdmission(admission, () => attemptUpdate(request, entry, update))
    if (result !== undefined) return result
  }
}

async function attemptUpdate(
  request: UpdateRequest,
  entry: Entry,
  update: UpdateFunction,
): Promise<WriteResult | undefined> {
  const { target, options } = request
  const current = itemOf(entry)
  const made = await update(current)
  const large = made.large || needsSlices(entry.value.length)
  if (large) await yieldToEventLoop()
  return withWarnings(made.warnings, async () => {
    const draft = { ...draftFor(target, made), large }
    checkUpdatePreconditions(target, options, draft, current.object())
    if (draft.unchanged) return unchangedResult(request, draft, current)
    return storeUpdate(await prepareUpdate(request, draft, current.object()), entry)
  })
}

/** What is as it was is warned about as if it were written. */
async function unchangedResult(
  { context, target }: UpdateRequest,
  { warnings }: Draft,
  item: Item,
): Promise<WriteResult> {
  const strategy = await kindStrategy(context, target)
  const object = item.object()
  return { item, created: false, warnings: [...warnings, ...strategy.warn(object, object)] }
}
