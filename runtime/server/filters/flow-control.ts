import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { FlowDecision } from '../flow/flow-control.ts'
import { flowRequestOf } from '../flow/flow-request.ts'
import type { HttpRequest } from '../http/request.ts'
import { textResponse } from '../http/response.ts'
import { isConnection, type RequestInfo } from '../request/request-info.ts'
import { withCleanup } from './compose.ts'

/**
 * Lets a request on once it has its seats, or answers it with 429 and the time to come back. Seats are held until the response
 * is decided, not while it is sent: a slow reader and an open watch keep none.
 */
export function flowControl(context: ServerContext): Filter {
  const { flow, workEstimator } = context
  return function flowControl({ state }, next) {
    const { info, user, request } = state
    if (isConnection(info.target)) return next()
    const seats = workEstimator.seatsFor(info)
    const decision = flow.acquire(flowRequestOf(info, user, request.method), seats)
    return decision instanceof Promise
      ? decision.then((one) => proceed(context, state, one, next))
      : proceed(context, state, decision, next)
  }
}

/** A rejected request is answered here. */
function proceed(
  { requestMetrics, workEstimator }: ServerContext,
  state: RequestState,
  decision: FlowDecision,
  next: () => Awaitable<void>,
): Awaitable<void> {
  const { release, retryAfterSeconds } = decision
  state.flowDecision = decision
  state.bodyTaken?.()
  if (release === undefined) {
    state.response = textResponse(429, 'Too many requests, please try again later.\n', {
      'Retry-After': String(retryAfterSeconds),
    })
    return
  }
  const mutating = isMutating(state.info, state.request)
  requestMetrics.began(mutating)
  return withCleanup(next, () => {
    release()
    requestMetrics.ended(mutating)
    if (state.response !== undefined) workEstimator.observe(state.info, state.response)
  })
}

/** Verbs that the gauge of requests in flight counts as reading. */
const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

function isMutating({ verb }: RequestInfo, { method }: HttpRequest): boolean {
  return verb === undefined ? method !== 'GET' && method !== 'HEAD' : !readingVerbs.has(verb)
}
