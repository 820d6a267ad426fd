import type { Registry } from './contract/contract.ts'
import type { RegistryOptions } from './registry-options.ts'
import type { RequestContexts } from './request-contexts.ts'
import { collectionPrefix, objectTarget } from './storage/keys.ts'
import { scaleSubresourceOf } from './strategy/scale-subresource.ts'
import { getScale } from './subresources/scale.ts'
import { computedBy, getComputed, listComputed } from './verbs/computed.ts'
import { get, peek } from './verbs/get.ts'
import { list } from './verbs/list.ts'
import { listSelection, watchSelection } from './verbs/read-options.ts'
import { watch } from './verbs/watch.ts'

type ReadVerbs = Pick<Registry, 'get' | 'peek' | 'list' | 'checkOptions' | 'count' | 'watch'>

/**
 * The verbs that change nothing.
 *
 * Three kinds of targets are read in three ways: a stored object from the cache or the store; a scale off the object that it
 * scales; a computed kind by calling what computes it. `peek` answers without a promise what needs none of these.
 */
export function readVerbs(
  contexts: RequestContexts,
  { store, computed }: Pick<RegistryOptions, 'store' | 'computed'>,
): ReadVerbs {
  return {
    get(given, options) {
      const target = objectTarget(given)
      const compute = computedBy(computed, target.kind)
      if (compute) return getComputed(target, compute)
      const scale = scaleSubresourceOf(target)
      const context = contexts.for(target)
      return scale ? getScale(context, target, scale, options) : get(context, target, options)
    },
    peek(target) {
      if (scaleSubresourceOf(target)) return undefined
      return peek(contexts.for(target), objectTarget(target))
    },
    list(target, options) {
      const compute = computedBy(computed, target.kind)
      const context = contexts.for(target)
      return compute
        ? listComputed(context, target, options, compute)
        : list(context, target, options)
    },
    checkOptions(verb, target, options) {
      const select = verb === 'list' ? listSelection : watchSelection
      select(contexts.for(target), target, options)
    },
    count(kind) {
      return store.count(collectionPrefix({ kind }))
    },
    watch: (target, ...rest) => watch(contexts.for(target), target, ...rest),
  }
}
