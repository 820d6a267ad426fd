import { firstDecision, throwTogether } from '../first-decision.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'

/** How a union goes on after an error. */
export interface UnionOptions {
  /**
   * An error of one member ends the walk. Set for a union whose last member is the anonymous authenticator: credentials
   * that could not be checked must not make their bearer anonymous.
   */
  readonly failOnError?: boolean
}

/**
 * Asks authenticators in order; the first that names a user or refuses decides. Errors are collected.
 *
 * @throws the errors of its members if none of them decided.
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
        isDecision,
        ({ errors }) =>
          errors.length === 0 ? undefined : throwTogether(errors, 'authentication failed'),
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
      return result.then((one) => (isDecision(one) ? one : untilError(members, request, at + 1)))
    }
    if (isDecision(result)) return result
  }
  return undefined
}

function isDecision(result: AuthenticationResult): boolean {
  return result !== undefined
}
