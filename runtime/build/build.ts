/**
 * Objects of configuration modules: what a program exports becomes objects, merged, named and ordered, each part of which knows the
 * line that stated it. How modules are evaluated is not said here.
 *
 *  1. The same exports give the same objects in the same order.
 *  2. Layers merge as server-side apply does; two layers never settle in silence who is right.
 *  3. A name with a hash is the one that kustomize gives.
 */
export { contentHash } from './hash.ts'
export { describe, identityOf } from './identity.ts'
export type { MergeOf } from './merging.ts'
export { compareObjects } from './order.ts'
export type { Problem } from './problem.ts'
export {
  type Places,
  type Sourced,
  type SourcedObject,
  type Spot,
  spotOf,
} from './sourced.ts'
export { type BuildKinds, type Built, buildObjects } from './steps.ts'
