import { isStatus } from '../kernel/status.ts'
import { type Change, change } from './change.ts'
import type { Context } from './context.ts'
import { insert } from './create.ts'
import { checkName, decodeBody } from './decode.ts'
import { conflict, notFound } from './errors.ts'
import type { Body, Target, WriteOptions, Written } from './registry.ts'

/** Replaces an object, or makes it where the kind allows that. */
export async function update(
  context: Context,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const draft = decodeBody(target, body, options.fieldValidation)
  checkName(target, draft.object)
  const replace: Change = () => draft
  for (;;) {
    const written = await change(context, target, options, replace)
    if (written !== undefined) return written
    const name = target.name ?? ''
    if (!target.kind.createOnUpdate || target.subresource) throw notFound(target.kind, name)
    if (draft.object.metadata.resourceVersion || options.resourceVersion) {
      throw conflict(target.kind, name)
    }
    try {
      return await insert(context, target, draft, options)
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error
    }
  }
}
