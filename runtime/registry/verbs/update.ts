import { isStatus } from '../../kernel/errors/status-error.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Body, Target, WriteOptions, WriteResult } from '../contract/contract.ts'
import { conflict, notFound } from '../contract/errors.ts'
import { checkName, decodeBody } from '../strategy/decode.ts'
import { insertNew } from './create.ts'
import { guaranteedUpdate, type UpdateFunction } from './guaranteed-update.ts'

/** Replaces an object, or makes it where the kind allows that. */
export async function update(
  context: RegistryContext,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  const draft = decodeBody(target, body, options.fieldValidation)
  checkName(target, draft.object)
  const replace: UpdateFunction = () => draft
  for (;;) {
    const written = await guaranteedUpdate(context, target, options, replace)
    if (written !== undefined) return written
    const name = target.name ?? ''
    if (!target.kind.createOnUpdate || target.subresource) throw notFound(target.kind, name)
    if (draft.object.metadata.resourceVersion || options.resourceVersion) {
      throw conflict(target.kind, name)
    }
    try {
      return await insertNew(context, target, draft, options)
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error
    }
  }
}
