/** Kinds whose objects are reviews: questions that are answered and never stored. */
import type { Authorizer, UserInfo } from '../../auth/auth.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'

/** What a reviewer may need to know beside the question. */
export interface ReviewContext {
  /** The user of the request. */
  readonly user: UserInfo
  /** The one that decides about requests: what a review answers is what is enforced. */
  readonly authorizer: Authorizer
  readonly now: number
}

/** How the reviews of a kind are answered. */
export interface Reviewer {
  /** Every error that the schema cannot state; a text is the message of a BadRequest. */
  readonly validate?: (question: ApiObject) => readonly FieldError[] | string
  /** The question as it goes back, with the answer as its status. */
  readonly review: (question: ApiObject, context: ReviewContext) => Promise<ApiObject>
}

const access = () => import('../authorization/access-reviews.ts')
const identity = () => import('../authentication/identity-reviews.ts')

/** Every reviewer that a schema file may name, and how it is loaded: for the first review of its kind. */
export const reviewers: ReadonlyMap<string, () => Promise<Reviewer>> = new Map([
  ['localSubjectAccessReview', async () => (await access()).localSubjectAccessReview],
  ['selfSubjectAccessReview', async () => (await access()).selfSubjectAccessReview],
  ['selfSubjectReview', async () => (await identity()).selfSubjectReview],
  ['selfSubjectRulesReview', async () => (await access()).selfSubjectRulesReview],
  ['subjectAccessReview', async () => (await access()).subjectAccessReview],
  ['tokenReview', async () => (await identity()).tokenReview],
])

/** The reviewer of a kind. Fails if the kind names an unknown one. */
export async function reviewerOf(kind: AnyKind): Promise<Reviewer> {
  const load = reviewers.get(kind.review ?? '')
  invariant(load !== undefined, `${kind.kind} names the unknown answer ${kind.review}`)
  return load()
}
