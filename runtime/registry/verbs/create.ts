import { StatusError } from '../../kernel/errors/status-error.ts'
import type { WriteCall } from '../contract/context.ts'
import type { Body, WriteResult } from '../contract/contract.ts'
import { decodeBody } from '../strategy/decode.ts'
import { createObject } from '../write/create-object.ts'

/**
 * Stores a new object, under its own name or a generated one.
 *
 * @throws StatusError BadRequest for a body that does not fit; code 500 for one with a resourceVersion; else as `createObject`.
 */
export async function create(call: WriteCall, body: Body): Promise<WriteResult> {
  const { target, options } = call
  const draft = decodeBody(target, body, options.fieldValidation)
  if (draft.object.metadata.resourceVersion) {
    throw new StatusError('', 'resourceVersion should not be set on objects to be created')
  }
  return createObject(call, draft)
}
