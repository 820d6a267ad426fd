import type { UserInfo } from '../../kernel/auth/user-info.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'

/** The user of requests that carry no credentials. */
export const anonymousUser: UserInfo = {
  username: 'system:anonymous',
  groups: ['system:unauthenticated'],
}

const result: AuthenticationResult = { user: anonymousUser }

/** Takes every request for one of the anonymous user. It stands last in a union: nothing after it is asked. */
export const anonymousAuthenticator: Authenticator = { authenticate: () => result }
