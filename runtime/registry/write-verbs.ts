import type { Registry } from './contract/contract.ts'
import type { RequestContexts } from './request-contexts.ts'
import { objectTarget } from './storage/keys.ts'
import { parsePatch, patchWarnings } from './strategy/patched.ts'
import { scaleSubresourceOf } from './strategy/scale.ts'
import { act } from './subresources/actions.ts'
import { patchScale, updateScale } from './subresources/scale.ts'
import { apply } from './verbs/apply.ts'
import { create } from './verbs/create.ts'
import { deleteObject } from './verbs/delete.ts'
import { deleteCollection } from './verbs/delete-collection.ts'
import { patch } from './verbs/patch.ts'
import { review } from './verbs/review.ts'
import { update } from './verbs/update.ts'

type WriteVerbs = Pick<
  Registry,
  'create' | 'update' | 'patch' | 'act' | 'delete' | 'deleteCollection'
>

/** The verbs that change something; a scale is written through the object that it belongs to. */
export function writeVerbs(contexts: RequestContexts): WriteVerbs {
  const deleteOne: Registry['delete'] = (given, options) => {
    const target = objectTarget(given)
    return contexts.write(target, options, (context) => deleteObject(context, target, options))
  }
  return {
    /** A review is answered and stored nowhere, so that nothing is allocated or converted for it. */
    create(target, body, options) {
      if (target.kind.review !== undefined) {
        return review(contexts.for(target), target, body, options)
      }
      return contexts.write(target, options, (context) => create(context, target, body, options))
    },
    update(given, body, options) {
      const target = objectTarget(given)
      const scale = scaleSubresourceOf(target)
      return contexts.write(target, options, (context) =>
        scale
          ? updateScale(context, target, scale, body, options)
          : update(context, target, body, options),
      )
    },
    /** A patch that cannot be read rejects like any other refusal: the patch is parsed inside the promise. */
    async patch(place, type, sent, given) {
      const target = objectTarget(place)
      const options = { ...given, patching: true }
      if (type === 'apply') {
        return contexts.write(target, given, (context) => apply(context, target, sent, options))
      }
      const scale = scaleSubresourceOf(target)
      const patchFunction = parsePatch(scale?.kind ?? target.kind, type, sent.value)
      const body = { ...sent, duplicates: patchWarnings(type, sent) }
      return contexts.write(target, given, (context) =>
        scale
          ? patchScale(context, target, scale, patchFunction, body, options)
          : patch(context, target, patchFunction, body, options),
      )
    },
    act: (target, body, options) => act(contexts.for(target), target, body, options),
    delete: deleteOne,
    deleteCollection: (target, selection, options) =>
      deleteCollection(contexts.for(target), target, selection, options, deleteOne),
  }
}
