import type { Authorizer, TokenService, UserInfo } from '../../auth/auth.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'

/** What a reviewer may need to know beside the question. */
export interface ReviewContext {
  /** The user of the request. */
  readonly user: UserInfo
  /** The one that decides about requests: what a review answers is what is enforced. */
  readonly authorizer: Authorizer
  /** Those that authenticate requests; absent where no token is good. */
  readonly tokens?: TokenService
  readonly now: number
}

/** How the reviews of a kind are answered. */
export interface Reviewer {
  /** Every error that the schema cannot state; a text is the message of a BadRequest. */
  readonly validate?: (question: ApiObject) => readonly FieldError[] | string
  /** The question as it goes back, with the answer as its status. */
  readonly review: (question: ApiObject, context: ReviewContext) => Promise<ApiObject>
}
