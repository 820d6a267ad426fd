import type { Kind, ScalePaths, Subresource } from '../../kernel/descriptors/kind.ts'
import type { Target } from '../contract/contract.ts'

/** Where an object keeps what its scale shows, and the kind of the scale. */
export interface ScaleSubresource {
  readonly paths: ScalePaths
  readonly kind: Kind
}

/** The scale facts of a target that is a scale; undefined for all others. */
export function scaleSubresourceOf(target: Target): ScaleSubresource | undefined {
  const { scale: paths, body } = subresourceOf(target) ?? {}
  return paths && body && { paths, kind: body() }
}

/** The facts of the subresource that a target names. */
export function subresourceOf({ kind, subresource }: Target): Subresource | undefined {
  return kind.subresources.find(({ name }) => name === subresource)
}
