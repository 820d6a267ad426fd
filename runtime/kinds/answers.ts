/** Kinds whose objects are questions, by the names that `answers` of schemas uses. */
import type { Authorizer, Caller } from '../kernel/access.ts'
import { invariant } from '../kernel/invariant.ts'
import type { AnyKind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'

/** What an answer may need to know beside the question. */
export interface Inquiry {
  /** Who asks. */
  readonly caller: Caller
  /** The same that decides about requests: what is answered is what is enforced. */
  readonly authorize: Authorizer
  readonly now: number
}

/** How the questions of a kind are answered. Nobody remembers a question or an answer. */
export interface Answering {
  /** Everything wrong with a question that its schema cannot say; a text is why it is no question at all. */
  readonly check?: (question: ApiObject) => readonly Finding[] | string
  /** The question as it goes back. Its status is the answer's alone, whatever the question said there. */
  readonly answer: (question: ApiObject, inquiry: Inquiry) => Promise<ApiObject>
}

/** Every way of answering that a schema file may name. Each is loaded for the first question of its kind. */
export const answers: ReadonlyMap<string, () => Promise<Answering>> = new Map(
  Object.entries({
    localSubjectAccessReview: async () =>
      (await import('./access-reviews.ts')).localSubjectAccessReview,
    selfSubjectAccessReview: async () =>
      (await import('./access-reviews.ts')).selfSubjectAccessReview,
    selfSubjectReview: async () => (await import('./identity-reviews.ts')).selfSubjectReview,
    selfSubjectRulesReview: async () =>
      (await import('./access-reviews.ts')).selfSubjectRulesReview,
    subjectAccessReview: async () => (await import('./access-reviews.ts')).subjectAccessReview,
    tokenReview: async () => (await import('./identity-reviews.ts')).tokenReview,
  }),
)

/** How objects of a kind of questions are answered. An unknown name is our own mistake and fails loudly. */
export async function answeringOf(kind: AnyKind): Promise<Answering> {
  const load = answers.get(kind.answers ?? '')
  invariant(load !== undefined, `${kind.kind} names the unknown answer ${kind.answers}`)
  return load()
}
