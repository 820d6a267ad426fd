import {
  type AuthorizationResult,
  forbiddenError,
  headerValues,
  type Impersonation,
  impersonationHeaders,
  readImpersonation,
} from '../../auth/auth.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import type { StatusError } from '../../kernel/errors/status-error.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type HttpResponse, textResponse } from '../http/response.ts'
import { failureResponse } from '../negotiation/failure-response.ts'
import { withoutHeaders } from './credential-headers.ts'

/**
 * Lets a user act as another one where it has the right to (N-14): what follows sees that user alone, and nothing of the headers.
 * It stands behind `audit`, which records both.
 */
export function impersonation(context: ServerContext): Filter {
  const { view } = context
  const group = `authentication.${view.scheme.platform.api}`
  return function impersonation({ state }, next) {
    const names = impersonationHeaders(state.request.headers)
    if (names.length === 0 || state.authenticationError !== undefined) return next()
    const asked = readImpersonation(names, (name) => headerValues(state.request, name), group)
    if (typeof asked === 'string') {
      state.response = internalError(state.request.url, asked)
      return
    }
    if (asked === undefined) return next()
    return chainAwaitable(refusalOf(context, state, asked), (refusal): Awaitable<void> => {
      if (refusal !== undefined) return refuse(context, state, refusal)
      state.impersonator = state.user
      state.user = asked.user
      state.request = withoutHeaders(state.request, names)
      return next()
    })
  }
}

/** The first part that the user has no right to; undefined if there is none. */
function refusalOf(
  context: ServerContext,
  state: RequestState,
  { rights }: Impersonation,
): Awaitable<StatusError | undefined> {
  const next = (at: number): Awaitable<StatusError | undefined> => {
    const right = rights[at]
    if (right === undefined) return undefined
    const attributes = { user: state.user, ...right }
    return chainAwaitable(verdict(context, state, attributes), ({ decision, reason }) =>
      decision === 'Allow' ? next(at + 1) : forbiddenError(attributes, reason),
    )
  }
  return next(0)
}

/** An authorizer that cannot tell allows nothing. */
function verdict(
  { authorizer, log }: ServerContext,
  { auditId }: RequestState,
  attributes: Parameters<ServerContext['authorizer']['authorize']>[0],
): Awaitable<AuthorizationResult> {
  const failed = (error: unknown): AuthorizationResult => {
    log.error('impersonation not authorized', { audit: auditId }, error)
    return { decision: 'NoOpinion' }
  }
  try {
    const result = authorizer.authorize(attributes)
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}

async function refuse(
  { serializers }: ServerContext,
  state: RequestState,
  error: StatusError,
): Promise<void> {
  state.response = await failureResponse(error, state.request, serializers)
}

/** In the words of the public server, which are a text and no Status here. */
function internalError(url: string, why: string): HttpResponse {
  const text = `Internal Server Error: ${JSON.stringify(url)}: ${why}\n`
  const safe = text.replace(
    /[&<>]/g,
    (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one] ?? '',
  )
  return textResponse(500, safe)
}
