import { StatusError } from '../../kernel/errors/status-error.ts'
import type { WriteCall } from '../contract/context.ts'
import type { Body, WriteResult } from '../contract/contract.ts'
import { decodeBody } from '../strategy/decode.ts'
import { createObject } from '../write/create-object.ts'

/**
 * Stores a new object, under its own name or a generated one.
 *
 * @throws StatusError BadRequest for a body that does not fit; as `createObject`; code 500 for a resourceVersion, except in a dry run.
 */
export async function create(call: WriteCall, body: Body): Promise<WriteResult> {
  const { target, options } = call
  const draft = await decodeBody(call.context.scheme, target, body, options.fieldValidation)
  if (!draft.object.metadata.resourceVersion || options.dryRun) return createObject(call, draft)
  await createObject({ ...call, options: { ...options, dryRun: true } }, draft)
  throw new StatusError('', 'resourceVersion should not be set on objects to be created')
}
