import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import type { UserInfo } from '../../kernel/auth/user-info.ts'
import type { AuthorizationAttributes, Authorizer, SubjectRules } from './authorizer.ts'
import { unlisted } from './union.ts'

/** True if the authorizer allows it: no opinion is no permission. @throws as the authorizer does. */
export function isAllowed(
  authorizer: Authorizer,
  attributes: AuthorizationAttributes,
): Awaitable<boolean> {
  return chainAwaitable(
    authorizer.authorize(attributes),
    ({ decision }): Awaitable<boolean> => decision === 'Allow',
  )
}

/** The rules that an authorizer gives a user in a namespace; one that lists none says so in `evaluationError`. */
export function subjectRulesOf(
  authorizer: Authorizer,
  user: UserInfo,
  namespace: string,
): Awaitable<SubjectRules> {
  return authorizer.rulesFor?.(user, namespace) ?? unlisted
}
