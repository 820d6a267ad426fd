import type { AnyKind, Kind, Subresource } from '../../kernel/descriptors/kind.ts'
import type { Target } from '../contract/contract.ts'
import { subresourceOf } from '../strategy/scale-subresource.ts'
import { isKnownAction } from './actions.ts'

/**
 * True for a subresource that the registry can serve: a part of the object, a scale, an action that it knows, or one
 * that another server answers. A schema may name others: they are not routed.
 */
export function isServed(sub: Subresource, kind: Pick<Kind, 'kind'>): boolean {
  if (sub.connect !== undefined) return true
  if (sub.action !== undefined) return sub.body !== undefined && isKnownAction(sub.action)
  if (sub.body !== undefined) return sub.scale !== undefined
  return sub.scale === undefined && sub.kind === kind.kind && sub.verbs.includes('update')
}

/** The kind of the bodies of requests about a target: the object's own, or that of the subresource. */
export function bodyKindOf(target: Target): Kind {
  const body: AnyKind | undefined = subresourceOf(target)?.body?.()
  return body ?? target.kind
}
