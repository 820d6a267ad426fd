import type { UpdateCall } from './contract/context.ts'
import type { Body, PatchType, Registry, WriteResult } from './contract/contract.ts'
import type { RequestContexts } from './request-contexts.ts'
import { objectTarget } from './storage/keys.ts'
import { parsePatch } from './strategy/patched.ts'
import { scaleSubresourceOf } from './strategy/scale-subresource.ts'
import { act } from './subresources/actions.ts'
import { admitConnection } from './subresources/connect.ts'
import { patchScale, updateScale } from './subresources/scale.ts'
import { apply } from './verbs/apply.ts'
import { create } from './verbs/create.ts'
import { deleteObject } from './verbs/delete.ts'
import { deleteCollection } from './verbs/delete-collection.ts'
import { patchObject } from './verbs/patch.ts'
import { review } from './verbs/review.ts'
import { update } from './verbs/update.ts'

type WriteVerbs = Pick<
  Registry,
  'create' | 'update' | 'patch' | 'act' | 'connect' | 'delete' | 'deleteCollection'
>

/** The verbs that change something; a scale is written through the object that it belongs to. */
export function writeVerbs(contexts: RequestContexts): WriteVerbs {
  const deleteOne: Registry['delete'] = (given, options) => {
    const target = objectTarget(given)
    return contexts.write(target, options, (context) => deleteObject(context, target, options))
  }
  return {
    // A review is answered and stored nowhere, so that nothing is allocated or converted for it.
    create: (target, body, options) =>
      target.kind.review !== undefined
        ? review(contexts.for(target), target, body, options)
        : contexts.write(target, options, (context) => create({ context, target, options }, body)),
    update(given, body, options) {
      const target = objectTarget(given)
      const scale = scaleSubresourceOf(target)
      return contexts.write(target, options, (context) => {
        const call = { context, target, options }
        return scale ? updateScale(call, scale, body) : update(call, body)
      })
    },
    // A patch that cannot be read rejects like any other refusal.
    patch: async (target, type, body, options) =>
      patchVerb(contexts, { target: objectTarget(target), options }, type, body),
    act: (target, body, options) => act(contexts.for(target), target, body, options),
    connect: (target, query, options) =>
      admitConnection(contexts.for(target), target, query, options),
    delete: deleteOne,
    deleteCollection: (target, selection, options) =>
      deleteCollection(contexts.for(target), { target, selection, options }, deleteOne),
  }
}

/** An apply is a request of its own; any other patch is read once, for the object or for its scale. */
function patchVerb(
  contexts: RequestContexts,
  { target, options }: Omit<UpdateCall, 'context'>,
  type: PatchType,
  body: Body,
): Promise<WriteResult> {
  if (type === 'apply') {
    return contexts.write(target, options, (context) => apply({ context, target, options }, body))
  }
  const scale = scaleSubresourceOf(target)
  const patch = parsePatch(scale?.kind ?? target.kind, type, body, options)
  return contexts.write(target, options, (context) => {
    const call = { context, target, options }
    return scale ? patchScale(call, scale, patch) : patchObject(call, patch)
  })
}
