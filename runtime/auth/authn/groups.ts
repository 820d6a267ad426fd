import { chainAwaitable } from '../../kernel/async/awaitable.ts'
import type { UserInfo } from '../../kernel/auth/user-info.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'

/** The group of every user that is known. */
export const authenticatedGroup = 'system:authenticated'

/** The group of requests without credentials. */
export const unauthenticatedGroup = 'system:unauthenticated'

/** Puts every user that an authenticator names into `system:authenticated`, but for an anonymous one (N-05). */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  return {
    authenticate: (request) => chainAwaitable(authenticator.authenticate(request), addGroup),
  }
}

/** The same result, its user in the group. */
export function addGroup(result: AuthenticationResult): AuthenticationResult {
  if (result === undefined || !('user' in result)) return result
  const user = known.get(result.user) ?? inGroup(result.user)
  return user === result.user ? result : { ...result, user }
}

/** Users that come again, as those of a cache do, are made once. */
const known = new WeakMap<UserInfo, UserInfo>()

function inGroup(user: UserInfo): UserInfo {
  const { username, groups } = user
  const stays =
    username === 'system:anonymous' ||
    groups.includes(authenticatedGroup) ||
    groups.includes(unauthenticatedGroup)
  const added = stays ? user : { ...user, groups: [...groups, authenticatedGroup] }
  known.set(user, added)
  return added
}
