/** Kinds whose objects are reviews: questions that are answered and never stored. */

import { loadersOf } from '../../kernel/async/loaders.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { Reviewer } from './reviewer.ts'

/** Every reviewer that a schema file may name, and how it is loaded: for the first review of its kind. */
export const reviewers = loadersOf<Reviewer>({
  'localSubjectAccessReview selfSubjectAccessReview': () => import('./access-reviews.ts'),
  'selfSubjectRulesReview subjectAccessReview': () => import('./access-reviews.ts'),
  'selfSubjectReview tokenReview': () => import('./identity-reviews.ts'),
})

/** The reviewer of a kind. Fails if the kind names an unknown one. */
export async function reviewerOf(kind: AnyKind): Promise<Reviewer> {
  const load = reviewers.get(kind.review ?? '')
  invariant(load !== undefined, `${kind.kind} names the unknown answer ${kind.review}`)
  return load()
}
