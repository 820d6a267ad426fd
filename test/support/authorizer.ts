import type { AuthorizationAttributes, Authorizer, UserInfo } from '../../runtime/auth/auth.ts'

/** An authorizer that allows what a function says, and has no opinion about the rest. */
export function authorizerOf(
  allows: (user: UserInfo, attributes: Omit<AuthorizationAttributes, 'user'>) => boolean,
): Authorizer {
  return {
    async authorize({ user, ...attributes }) {
      return { decision: allows(user, attributes) ? 'Allow' : 'NoOpinion' }
    },
  }
}
