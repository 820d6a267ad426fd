import { StatusError } from '../../kernel/errors/status-error.ts'
import type { WriteCall } from '../contract/context.ts'
import type { Body, WriteResult } from '../contract/contract.ts'
import { itemOfObject } from '../storage/item.ts'
import { withWarnings } from '../strategy/admission.ts'
import { decodeBody } from '../strategy/decode.ts'
import { withDistinctOwners } from '../strategy/duplicate-owners.ts'
import { withVersion } from '../strategy/resource-versions.ts'
import { createObject } from '../write/create-object.ts'

/**
 * Stores a new object, under its own name or a generated one.
 *
 * @throws StatusError BadRequest for a body that does not fit; as `createObject`; code 500 for a resourceVersion, except in a dry run,
 * which gives it back.
 */
export async function create(call: WriteCall, body: Body): Promise<WriteResult> {
  const { target, options } = call
  const decoded = await decodeBody(call.context.scheme, target, body, options.fieldValidation)
  const draft = withDistinctOwners(decoded)
  const { resourceVersion = '' } = draft.object.metadata
  if (options.dryRun && resourceVersion !== '') {
    const { item, ...result } = await createObject(call, draft)
    return { ...result, item: itemOfObject(withVersion(item.object(), resourceVersion)) }
  }
  if (!isVersion(resourceVersion)) return createObject(call, draft)
  const { warnings } = await createObject({ ...call, options: { ...options, dryRun: true } }, draft)
  return withWarnings(warnings, refuseVersion)
}

/** @throws StatusError with code 500, as public servers have it. */
async function refuseVersion(): Promise<never> {
  throw new StatusError('', 'resourceVersion should not be set on objects to be created')
}

/** True for a text that can be the version of an object; public servers pass over any other. */
function isVersion(text: string): boolean {
  const digits = /^0*(\d+)$/.exec(text)?.[1] ?? '0'
  return digits !== '0' && digits.length <= 20 && BigInt(digits) < 2n ** 64n
}
