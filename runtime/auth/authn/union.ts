import { firstDecision } from '../first-decision.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { isUser, undecided } from './tokens/token-authenticator.ts'

/** How a union goes on after an error. */
export interface UnionOptions {
  /**
   * A refusal or an error of one member ends the walk. Set for a union whose last member is the anonymous authenticator:
   * credentials that do not hold, or could not be checked, must not make their bearer anonymous.
   */
  readonly failOnError?: boolean
}

/**
 * Asks authenticators in order; the first that names a user decides. Credentials that one refuses do no harm to others in the same
 * request (N-01): a refusal stands if none of them names a user. Errors are collected.
 *
 * @throws the errors of its members if all they say is errors.
 */
export function unionAuthenticator(
  members: readonly Authenticator[],
  { failOnError = false }: UnionOptions = {},
): Authenticator {
  if (failOnError) return { authenticate: (request) => untilError(members, request, 0) }
  return {
    authenticate: (request) =>
      firstDecision<Authenticator, AuthenticationResult>(
        members,
        (member) => member.authenticate(request),
        isUser,
        ({ results, errors }) => undecided(results, errors),
      ),
  }
}

function untilError(
  members: readonly Authenticator[],
  request: Parameters<Authenticator['authenticate']>[0],
  from: number,
): ReturnType<Authenticator['authenticate']> {
  for (let at = from; at < members.length; at++) {
    const result = (members[at] as Authenticator).authenticate(request)
    if (result instanceof Promise) {
      return result.then((one) => (one === undefined ? untilError(members, request, at + 1) : one))
    }
    if (result !== undefined) return result
  }
  return undefined
}
