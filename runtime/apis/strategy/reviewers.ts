/** Kinds whose objects are questions, by the names that `answers` of schemas uses. */
import type { Authorizer, UserInfo } from '../../auth/auth.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'

/** What an answer may need to know beside the question. */
export interface ReviewContext {
  /** The user of the request. */
  readonly user: UserInfo
  /** The one that decides about requests: what a review answers is what is enforced. */
  readonly authorizer: Authorizer
  readonly now: number
}

/** How the questions of a kind are answered. Nobody remembers a question or an answer. */
export interface Reviewer {
  /** Everything wrong with a question that its schema cannot say; a text is why it is no question at all. */
  readonly validate?: (question: ApiObject) => readonly FieldError[] | string
  /** The question as it goes back. Its status is the answer's alone, whatever the question said there. */
  readonly review: (question: ApiObject, inquiry: ReviewContext) => Promise<ApiObject>
}

/** Every way of answering that a schema file may name. Each is loaded for the first question of its kind. */
export const reviewers: ReadonlyMap<string, () => Promise<Reviewer>> = new Map(
  Object.entries({
    localSubjectAccessReview: async () =>
      (await import('../authorization/access-reviews.ts')).localSubjectAccessReview,
    selfSubjectAccessReview: async () =>
      (await import('../authorization/access-reviews.ts')).selfSubjectAccessReview,
    selfSubjectReview: async () =>
      (await import('../authentication/identity-reviews.ts')).selfSubjectReview,
    selfSubjectRulesReview: async () =>
      (await import('../authorization/access-reviews.ts')).selfSubjectRulesReview,
    subjectAccessReview: async () =>
      (await import('../authorization/access-reviews.ts')).subjectAccessReview,
    tokenReview: async () => (await import('../authentication/identity-reviews.ts')).tokenReview,
  }),
)

/** How objects of a kind of questions are answered. An unknown name is our own mistake and fails loudly. */
export async function reviewerOf(kind: AnyKind): Promise<Reviewer> {
  const load = reviewers.get(kind.review ?? '')
  invariant(load !== undefined, `${kind.kind} names the unknown answer ${kind.review}`)
  return load()
}
