import {
  type Authenticated,
  type AuthenticationResult,
  type Authenticator,
  anonymousAuthenticator,
  anonymousUser,
  unauthorizedError,
} from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { outcomeMetrics, userCounter } from '../metrics/access-metrics.ts'
import { withoutCredentials } from './credential-headers.ts'

/**
 * Finds out whose request it is. One whose credentials do not hold goes on as the anonymous user's, so that it is audited,
 * counted and limited like any other, and is refused by the filter `authorization`. Requests of the same process come with
 * their user.
 */
export function authentication(context: ServerContext): Filter {
  const { authenticator, clock } = context
  if (authenticator === anonymousAuthenticator) return everybodyAnonymous
  const settle = settling(context)
  const unavailable = (error: unknown, { auditId }: RequestState): Outcome => {
    context.log.error('authentication failed', { audit: auditId }, error)
    return 'error'
  }
  return function authentication({ state }, next) {
    const { user } = state.request
    if (user !== undefined) {
      state.user = user
      return next()
    }
    const began = clock.monotonic()
    const result = attempted(authenticator, state, unavailable)
    if (result instanceof Promise) {
      return result
        .catch((error: unknown) => unavailable(error, state))
        .then((one) => settle(state, one, began))
        .then(next)
    }
    settle(state, result, began)
    return next()
  }
}

/** What an authenticator said, or that it cannot tell: then it vouches for no user. */
type Outcome = AuthenticationResult | 'error'

/** Where all are anonymous, nothing is looked at. */
const everybodyAnonymous: Filter = ({ state }, next) => {
  state.user = state.request.user ?? anonymousUser
  return next()
}

/** Asks the authenticator; one that throws before it returns is like one that rejects. */
function attempted(
  authenticator: Authenticator,
  state: RequestState,
  unavailable: (error: unknown, state: RequestState) => Outcome,
): Awaitable<Outcome> {
  try {
    return authenticator.authenticate(state.request)
  } catch (error) {
    return unavailable(error, state)
  }
}

/** Settles whose a request is, of which it began to be found out at a time. */
type Settle = (state: RequestState, result: Outcome, began: number) => void

/** Why credentials are refused is for the log alone: a client that guesses learns nothing. */
function settling({ log, metrics, clock, view }: ServerContext): Settle {
  const attempted = outcomeMetrics(metrics, clock, ['success', 'failure', 'error'], {
    attempts: 'authentication_attempts',
    duration: 'authentication_duration_seconds',
  })
  const countUser = userCounter(metrics, view.scheme.platform.prefix)
  return (state, result, began) => {
    if (typeof result === 'object' && 'user' in result) {
      attempted('success', began)
      countUser(result.user.username)
      authenticated(state, result)
      return
    }
    attempted(result === undefined ? 'failure' : 'error', began)
    if (typeof result === 'object') {
      log.info('credentials refused', { audit: state.auditId, reason: result.refused })
    }
    state.user = anonymousUser
    state.authenticationError = unauthorizedError()
  }
}

/** The credentials have done what they are for: nothing that follows sees them. */
function authenticated(state: RequestState, { user, annotations, warnings }: Authenticated): void {
  state.user = user
  state.request = withoutCredentials(state.request)
  if (annotations !== undefined) state.annotations = { ...state.annotations, ...annotations }
  if (warnings !== undefined) state.warnings = warnings
}
