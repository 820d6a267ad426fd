import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Filter } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { routeRequest } from '../endpoints/router.ts'
import type { HttpResponse } from '../http/response.ts'

/** Ends the chain: the endpoint that the request names makes the response. One that comes after the deadline is dropped. */
export function handler(context: ServerContext): Filter {
  return function handler({ state }) {
    const { request, info, auditId, user } = state
    const settle = (response: HttpResponse): void => {
      if (!state.timedOut) state.response = response
    }
    const work: Awaitable<HttpResponse> = routeRequest(context, { request, info, auditId, user })
    if (work instanceof Promise) return work.then(settle)
    settle(work)
  }
}
