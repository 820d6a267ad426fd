import {
  type AuthenticationResult,
  type Authenticator,
  anonymousUser,
  unauthorizedError,
} from '../../auth/auth.ts'
import type { Log } from '../../observe/observe.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'

/**
 * Finds out whose request it is. One whose credentials do not hold goes on as the anonymous user's, so that it is audited,
 * counted and limited like any other, and is refused by the filter `authorization`. Requests of the same process come with
 * their user.
 */
export function authentication({ authenticator, log }: ServerContext): Filter {
  return function authentication({ state }, next) {
    const { user } = state.request
    if (user !== undefined) {
      state.user = user
      return next()
    }
    const result = attempted(authenticator, state, log)
    if (result instanceof Promise) {
      return result
        .catch((error: unknown) => unavailable(error, state, log))
        .then((one) => settle(state, one, log))
        .then(next)
    }
    settle(state, result, log)
    return next()
  }
}

/** Asks the authenticator; one that throws before it returns is like one that rejects. */
function attempted(authenticator: Authenticator, state: RequestState, log: Log) {
  try {
    return authenticator.authenticate(state.request)
  } catch (error) {
    return unavailable(error, state, log)
  }
}

/** An authenticator that cannot tell vouches for no user. */
function unavailable(error: unknown, { auditId }: RequestState, log: Log): AuthenticationResult {
  log.error('authentication failed', { audit: auditId }, error)
  return undefined
}

/** Why credentials are refused is for the log alone: a client that guesses learns nothing. */
function settle(state: RequestState, result: AuthenticationResult, log: Log): void {
  if (result !== undefined && 'user' in result) {
    state.user = result.user
    return
  }
  if (result !== undefined) {
    log.info('credentials refused', { audit: state.auditId, reason: result.refused })
  }
  state.user = anonymousUser
  state.authenticationError = unauthorizedError()
}
